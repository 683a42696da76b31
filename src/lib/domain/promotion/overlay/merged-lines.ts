import { diffArrays } from 'diff'
import { EDITS_MAX } from '../texts.ts'

/** A text in three versions. */
type Versions = Readonly<Record<'before' | 'proposed' | 'now', string | undefined>>

/**
 * The text of now with the lines that were proposed since `before`; `undefined` where both have changed a line, or too many. Unlike git it
 * takes neighbours of changed lines for unchanged: these are lists of settings, one in a line.
 */
export function mergedText({ before, proposed, now }: Versions): string | undefined {
  if (proposed === before || proposed === now) return now
  if (now === before) return proposed
  if (before === undefined || proposed === undefined || now === undefined) return undefined
  const old = linesOf(before)
  const ours = hunksOf(old, linesOf(proposed))
  const theirs = hunksOf(old, linesOf(now))
  if (ours === undefined || theirs === undefined) return undefined
  if (ours.some((hunk) => theirs.some((other) => isInTheWay(other, hunk)))) return undefined
  const merged = [...old]
  const fromTheEnd = [...ours, ...theirs].toSorted((a, b) => b.start - a.start || b.end - a.end)
  for (const { start, end, added } of fromTheEnd) merged.splice(start, end - start, ...added)
  return merged.join('')
}

/** Proposed lines take the place of the same ones that they were proposed for, or stand between the same two. */
const isInTheWay = (other: Hunk, { start, end }: Hunk): boolean =>
  start === end
    ? other.start <= start && start <= other.end
    : other.start < end && start < other.end

interface Hunk {
  /** Lines of before, the end excluded. */
  readonly start: number
  readonly end: number
  readonly added: readonly string[]
}

/** `undefined`: too many lines are different. */
function hunksOf(before: readonly string[], after: readonly string[]): readonly Hunk[] | undefined {
  const compared = diffArrays([...before], [...after], { maxEditLength: EDITS_MAX })
  if (compared === undefined) return undefined
  const hunks: Hunk[] = []
  let at = 0
  for (const { count, added, removed, value } of compared) {
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
