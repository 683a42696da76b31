import { parsePatch } from 'diff'

const KINDS = { ' ': 'context', '+': 'add', '-': 'remove' } as const

/** A line of a hunk. */
export interface DiffLine {
  readonly kind: (typeof KINDS)[keyof typeof KINDS]
  readonly text: string
  /** The file ends here without a line break. */
  readonly endsFile: boolean
}

export interface DiffFile {
  /** Null for `/dev/null`: the file is new. */
  readonly oldPath: string | null
  /** Null when the file is deleted. */
  readonly newPath: string | null
  readonly hunks: readonly (readonly DiffLine[])[]
  readonly added: number
  readonly removed: number
}

/** The files of a diff of the API, written by the same library. The carriage return of a changed line is part of its text. */
export const parseDiff = (diff: string): readonly DiffFile[] =>
  parsePatch(diff)
    .filter(({ newFileName }) => newFileName !== undefined)
    .map(({ oldFileName, newFileName, hunks }) => {
      const shown = hunks.map(({ lines }) => linesOf(lines))
      const count = (kind: DiffLine['kind']) =>
        shown.flat().filter((line) => line.kind === kind).length
      return {
        oldPath: pathOf(oldFileName),
        newPath: pathOf(newFileName),
        hunks: shown,
        added: count('add'),
        removed: count('remove'),
      }
    })

/** A last line without a break has a mark after it. */
const linesOf = (lines: readonly string[]): readonly DiffLine[] =>
  lines.flatMap((line, at) => {
    const sign = line.charAt(0)
    if (sign === '\\') return []
    const kind = sign === '+' || sign === '-' ? KINDS[sign] : 'context'
    return [{ kind, text: line.slice(1), endsFile: lines[at + 1]?.startsWith('\\') === true }]
  })

const pathOf = (path = ''): string | null =>
  path === '/dev/null' ? null : path.replace(/^[ab]\//, '')
