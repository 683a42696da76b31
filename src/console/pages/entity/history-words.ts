import type { components } from '../../api/schema.gen.ts'
import type { Word } from '../../ui/words.ts'
import { versionOf } from './stage.ts'

export type HistoryRow = components['schemas']['PromotionHistoryRow']

const KINDS = {
  promotion: { tone: 'ok', icon: 'up', label: 'Promoted' },
  release: { tone: 'info', icon: 'arrows', label: 'Released' },
  deprecation: { tone: 'idle', icon: 'box', label: 'Deprecated' },
  manual: { tone: 'warn', icon: 'branch', label: 'Changed in git' },
} as const satisfies Record<HistoryRow['kind'], Word>

export const kindWord = ({ kind }: HistoryRow): Word => KINDS[kind]

/** The change of the image: `1.4.2 → 1.5.0`. */
export function imageWords({ image, previousImage }: HistoryRow): string {
  if (image === null) return previousImage === null ? 'No image' : 'Removed'
  const now = versionOf(image)
  if (previousImage === null) return now
  const before = versionOf(previousImage)
  return now === before ? `${now}, as before` : `${before} → ${now}`
}

/** Who asked and who merged, once when it was one person. */
export function peopleWords({ kind, askedBy, mergedBy }: HistoryRow): string {
  const asked = kind === 'manual' ? 'by' : 'asked by'
  if (askedBy === null) return mergedBy === null ? '' : `merged by ${mergedBy.name}`
  if (mergedBy === null) return `${asked} ${askedBy.name}`
  return isSame(askedBy, mergedBy)
    ? `${asked === 'by' ? '' : 'asked and '}merged by ${askedBy.name}`
    : `${asked} ${askedBy.name}, merged by ${mergedBy.name}`
}

/** `Released, asked by Dana, merged by Marek`. */
export function doneWords(row: HistoryRow): string {
  const people = peopleWords(row)
  const separator = people === '' ? '' : people.startsWith('by ') ? ' ' : ', '
  return `${kindWord(row).label}${separator}${people}`
}

type Person = NonNullable<HistoryRow['askedBy']>

/** A name alone proves nothing: two people can have the same. */
const isSame = (one: Person, other: Person): boolean =>
  one.subject !== null && one.subject === other.subject

/** Digits of a commit that people say. */
const COMMIT_SHOWN = 8
export const shortCommit = (commit: string): string => commit.slice(0, COMMIT_SHOWN)
