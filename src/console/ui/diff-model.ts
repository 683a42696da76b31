/** A line of a hunk. A removed line has no number in the new file, and an added one none in the old. */
export interface DiffLine {
  readonly kind: 'context' | 'add' | 'remove'
  readonly text: string
  readonly oldNumber: number | null
  readonly newNumber: number | null
  /** The file ends here without a line break. */
  readonly endsFile: boolean
}

export interface DiffHunk {
  readonly oldStart: number
  readonly newStart: number
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

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/
const RENAMED = /^rename (from|to) (.+)$/
/** `--- a/path`, with a time after a tab. */
const PATH = /^(---|\+\+\+) ([^\t]*)/

interface OpenHunk {
  readonly lines: DiffLine[]
  oldNumber: number
  newNumber: number
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

/** A new file as a diff shows it, from its text. */
export function addedFile(path: string, content: string): DiffFile {
  const endsWithBreak = content.endsWith('\n')
  const texts = (endsWithBreak ? content.slice(0, -1) : content).split('\n')
  const lines = (content === '' ? [] : texts).map((text, at) => ({
    kind: 'add' as const,
    text,
    oldNumber: null,
    newNumber: at + 1,
    endsFile: !endsWithBreak && at === texts.length - 1,
  }))
  const hunks = lines.length === 0 ? [] : [{ oldStart: 0, newStart: 1, lines }]
  return { oldPath: null, newPath: path, hunks, added: lines.length, removed: 0 }
}

/** Answers `false` for a line that cannot be in a hunk. */
function addLine(hunk: OpenHunk, line: string): boolean {
  const sign = line.charAt(0)
  const kind = sign === '+' ? 'add' : sign === '-' ? 'remove' : 'context'
  // An empty context line often has lost its space on the way.
  if (kind === 'context' && sign !== ' ' && line !== '' && line !== '\r') return false
  const text = sign === '\r' ? line : line.slice(1)
  const oldNumber = kind === 'add' ? null : hunk.oldNumber++
  const newNumber = kind === 'remove' ? null : hunk.newNumber++
  if (oldNumber !== null) hunk.oldLeft--
  if (newNumber !== null) hunk.newLeft--
  hunk.lines.push({ kind, text, oldNumber, newNumber, endsFile: false })
  return true
}

function beginHunk(files: OpenFile[], [, ...numbers]: RegExpExecArray): OpenHunk {
  const [oldStart = 0, oldLeft = 1, newStart = 0, newLeft = 1] = numbers.map((digits) =>
    digits === undefined ? undefined : Number(digits),
  )
  const lines: DiffLine[] = []
  const file = files.at(-1) ?? newFile(files)
  file.hunks.push({ oldStart, newStart, lines })
  return { lines, oldNumber: oldStart, newNumber: newStart, oldLeft, newLeft }
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
