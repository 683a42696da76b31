import { diffArrays } from 'diff'

/** A text in three versions. */
export interface TextVersions {
  readonly before: string | undefined
  readonly proposed: string | undefined
  readonly now: string | undefined
}

/**
 * The text of now with the lines that were proposed since `before`; `undefined` where both have changed a line. Unlike git it takes
 * neighbours of changed lines for unchanged: these are lists of settings, one in a line.
 */
export function mergedText({ before, proposed, now }: TextVersions): string | undefined {
  if (proposed === before || proposed === now) return now
  if (now === before) return proposed
  if (before === undefined || proposed === undefined || now === undefined) return undefined
  const [old, lines] = [linesOf(before), linesOf(now)]
  const placeNow = new Map<number, number>([
    [-1, -1],
    [old.length, lines.length],
  ])
  let [at, atNow] = [0, 0]
  for (const { count, added, removed } of diffArrays(old, lines)) {
    if (!added && !removed) {
      for (let index = 0; index < count; index++) placeNow.set(at + index, atNow + index)
    }
    if (!added) at += count
    if (!removed) atNow += count
  }
  const merged = [...lines]
  const hunks = hunksOf(old, linesOf(proposed))
  for (const { start, end, added } of hunks.toReversed()) {
    const from = placeNow.get(start === end ? start - 1 : start)
    const to = placeNow.get(start === end ? end : end - 1)
    if (from === undefined || to === undefined) return undefined
    if (start === end ? to - from !== 1 : !isTogether(placeNow, start, end)) return undefined
    merged.splice(start === end ? to : from, end - start, ...added)
  }
  return merged.join('')
}

/** Whether the default branch has all of these lines, and nothing between them. */
function isTogether(placeNow: ReadonlyMap<number, number>, start: number, end: number): boolean {
  const first = placeNow.get(start) ?? NaN
  for (let index = start; index < end; index++) {
    if (placeNow.get(index) !== first + index - start) return false
  }
  return true
}

interface Hunk {
  /** Lines of before, the end excluded. */
  readonly start: number
  readonly end: number
  readonly added: readonly string[]
}

function hunksOf(before: readonly string[], after: readonly string[]): readonly Hunk[] {
  const hunks: Hunk[] = []
  let at = 0
  for (const { count, added, removed, value } of diffArrays([...before], [...after])) {
    const last = hunks.at(-1)
    if (removed) hunks.push({ start: at, end: at + count, added: [] })
    else if (added && last !== undefined && last.end === at) {
      hunks.splice(-1, 1, { ...last, added: value })
    } else if (added) hunks.push({ start: at, end: at, added: value })
    if (!added) at += count
  }
  return hunks
}

/** With their line ends. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []
