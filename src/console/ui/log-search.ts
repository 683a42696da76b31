import type { Span } from './ansi.ts'
import type { LogBlock, LogLines } from './log-lines.ts'

/** A place where the text that is looked for begins and ends in a line. */
export interface LogMatch {
  /** Number of the line, as in `LogBlock`. */
  readonly line: number
  readonly start: number
  readonly end: number
}

export const isSameMatch = (one: LogMatch, other: LogMatch | null): boolean =>
  one.line === other?.line && one.start === other.start

/** More matches are not listed; nobody steps through them. */
export const MATCHES_MAX = 1_000

const SPECIAL = /[$()*+.?[\\\]^{|}/]/g

export interface LogSearch {
  /** The same list for the same block. */
  inBlock(block: LogBlock): readonly LogMatch[]
  in(log: LogLines): readonly LogMatch[]
}

/** Finds a text as it is written, in letters of any case. Blocks that do not change are searched once. */
export function createLogSearch(text: string): LogSearch {
  // Case folding of expressions keeps the positions, which lower-case text does not: `İ` becomes two characters.
  const pattern = new RegExp(text.replaceAll(SPECIAL, String.raw`\$&`), 'giu')
  const known = new WeakMap<LogBlock, readonly LogMatch[]>()
  const inBlock = (block: LogBlock): readonly LogMatch[] => {
    if (text === '') return NONE
    const found = known.get(block) ?? matchesIn(block, pattern)
    known.set(block, found)
    return found
  }
  return { inBlock, in: ({ blocks }) => blocks.flatMap(inBlock).slice(0, MATCHES_MAX) }
}

const NONE: readonly LogMatch[] = []

function matchesIn({ first, lines }: LogBlock, pattern: RegExp): readonly LogMatch[] {
  const matches: LogMatch[] = []
  for (const [index, { text }] of lines.entries()) {
    for (const found of text.matchAll(pattern)) {
      const start = found.index
      matches.push({ line: first + index, start, end: start + found[0].length })
      if (matches.length === MATCHES_MAX) return matches
    }
  }
  return matches
}

/** A span, or a part of one that is marked as a match. */
export interface MarkedSpan extends Span {
  readonly match: LogMatch | null
}

/** Spans of a line, cut where its matches begin and end. Matches are in order and do not overlap. */
export function markSpans(
  spans: readonly Span[],
  matches: readonly LogMatch[],
): readonly MarkedSpan[] {
  const marked: MarkedSpan[] = []
  let offset = 0
  let next = 0
  for (const { text, classes } of spans) {
    const end = offset + text.length
    let from = offset
    while (from < end) {
      while (next < matches.length && (matches[next]?.end ?? 0) <= from) next++
      const match = matches[next]
      const isInside = match !== undefined && match.start <= from
      const to = Math.min(end, (isInside ? match.end : match?.start) ?? end)
      marked.push({
        text: text.slice(from - offset, to - offset),
        classes,
        match: isInside ? match : null,
      })
      from = to
    }
    offset = end
  }
  return marked
}

/** Place in the list of matches one step on, round the ends. From no place, the first step leads to the last match or the first. */
export function stepTo(count: number, place: number | null, step: 1 | -1): number | null {
  if (count === 0) return null
  if (place === null) return step === 1 ? 0 : count - 1
  return (place + step + count) % count
}
