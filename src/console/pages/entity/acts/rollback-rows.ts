import { dateWords } from '../../../ui/time-words.ts'
import type { HistoryRow } from '../history-words.ts'
import type { Environment } from './acts-of.ts'
import { imageText } from './form-plan.ts'

/** In an address in place of a commit: the image before this one. */
export const PREVIOUS = 'previous'

const identityOf = (image: Environment['image']): string | null =>
  image === null || (image.tag ?? image.digest) === null
    ? null
    : `${image.tag ?? ''}@${image.digest ?? ''}`

/** The newest row of each image that is not there now, and the row that was asked for. */
export function rollbackRows(
  rows: readonly HistoryRow[],
  now: Environment['image'],
  asked: string | null,
): readonly HistoryRow[] {
  const seen = new Set([identityOf(now)])
  const wanted = identityOf(rows.find(({ commit }) => commit === asked)?.image ?? null)
  return rows.filter(({ image, commit }) => {
    const identity = identityOf(image)
    if (identity === null || seen.has(identity)) return false
    if (identity === wanted && commit !== asked) return false
    seen.add(identity)
    return true
  })
}

export const rollbackLabel = ({ image, at }: HistoryRow): string =>
  at === null ? imageText(image) : `${imageText(image)}, since ${dateWords(Date.parse(at))}`
