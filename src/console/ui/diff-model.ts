/** A line of a hunk. */
export interface DiffLine {
  readonly kind: 'context' | 'add' | 'remove'
  readonly text: string
  /** The file ends here without a line break. */
  readonly endsFile: boolean
}

export interface DiffHunk {
  readonly lines: readonly DiffLine[]
}

export interface DiffFile {
  /** Null for `/dev/null`: the file is new. */
  readonly oldPath: string | null
  /** Null when the file is deleted. */
  readonly newPath: string | null
  readonly hunks: readonly DiffHunk[]
  readonly added: number
  readonly removed: number
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/
const RENAMED = /^rename (from|to) (.+)$/
/** `--- a/path`, with a time after a tab. */
const PATH = /^(---|\+\+\+) ([^\t]*)/

interface OpenHunk {
  readonly lines: DiffLine[]
  oldLeft: number
  newLeft: number
}

interface OpenFile {
  oldPath: string | null
  newPath: string | null
  readonly hunks: DiffHunk[]
}

/**
 * The files of a unified diff, of `diff -u` or git. The counts of a hunk say where it ends, so a removed line `-- a` is no header.
 * Other lines between hunks are headers and are dropped. The carriage return of a changed line is part of its text.
 */
export function parseDiff(text: string): readonly DiffFile[] {
  const files: OpenFile[] = []
  let hunk: OpenHunk | undefined
  for (const line of text.split('\n')) {
    if (line.startsWith('\\')) {
      endFileAfter(hunk)
      continue
    }
    if (hunk !== undefined && hunk.oldLeft + hunk.newLeft > 0 && addLine(hunk, line)) continue
    const begun = HUNK.exec(line)
    if (begun !== null) hunk = beginHunk(files, begun)
    else if (readHeader(files, line)) hunk = undefined
  }
  return files.map(finished)
}

/** A changed last line has the mark after it in each of both files. */
function endFileAfter(hunk: OpenHunk | undefined): void {
  const last = hunk?.lines.pop()
  if (last !== undefined) hunk?.lines.push({ ...last, endsFile: true })
}

/** Answers `false` for a line that cannot be in a hunk. */
function addLine(hunk: OpenHunk, line: string): boolean {
  const sign = line.charAt(0)
  const kind = sign === '+' ? 'add' : sign === '-' ? 'remove' : 'context'
  // An empty context line often has lost its space on the way.
  if (kind === 'context' && sign !== ' ' && line !== '' && line !== '\r') return false
  const text = sign === '\r' ? line : line.slice(1)
  if (kind !== 'add') hunk.oldLeft--
  if (kind !== 'remove') hunk.newLeft--
  hunk.lines.push({ kind, text, endsFile: false })
  return true
}

function beginHunk(files: OpenFile[], [, oldLeft = '1', newLeft = '1']: RegExpExecArray): OpenHunk {
  const lines: DiffLine[] = []
  const file = files.at(-1) ?? newFile(files)
  file.hunks.push({ lines })
  return { lines, oldLeft: Number(oldLeft), newLeft: Number(newLeft) }
}

/** Answers whether the line is a header, which ends the hunk before it. */
function readHeader(files: OpenFile[], line: string): boolean {
  if (line.startsWith('diff --git ')) {
    newFile(files)
    return true
  }
  const [, direction, name] = RENAMED.exec(line) ?? []
  const [, sign, path] = PATH.exec(line.replace(/\r$/, '')) ?? []
  if (direction === undefined && sign === undefined) return false
  const last = files.at(-1)
  const isNext = last === undefined || (sign === '---' && last.hunks.length > 0)
  const file = isNext ? newFile(files) : last
  if (direction === 'from') file.oldPath = name ?? null
  if (direction === 'to') file.newPath = name ?? null
  if (sign === '---') file.oldPath = pathOf(path)
  if (sign === '+++') file.newPath = pathOf(path)
  return true
}

function newFile(files: OpenFile[]): OpenFile {
  const file: OpenFile = { oldPath: null, newPath: null, hunks: [] }
  files.push(file)
  return file
}

const pathOf = (path = ''): string | null =>
  path === '/dev/null' ? null : path.replace(/^[ab]\//, '')

function finished(file: OpenFile): DiffFile {
  const lines = file.hunks.flatMap((hunk) => hunk.lines)
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length
  return { ...file, added: count('add'), removed: count('remove') }
}
