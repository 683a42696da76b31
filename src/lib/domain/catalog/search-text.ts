/** The folded text of an entity that full text search looks at. */
export interface SearchText {
  /** Name, title and the other fields, one a line: no term, which has no white space, matches across a border. */
  readonly folded: string
  readonly nameEnd: number
  readonly titleEnd: number
}

export function searchTextOf(name: string, title: string, others: readonly string[]): SearchText {
  const [foldedName, foldedTitle] = [fold(name), fold(title)]
  return {
    folded: `${foldedName}\n${foldedTitle}\n${fold(others.join('\n'))}`,
    nameEnd: foldedName.length,
    titleEnd: foldedName.length + 1 + foldedTitle.length,
  }
}

const COMBINING_MARKS = /\p{M}+/gu
const NOT_ASCII = /[^\0-\x7f]/

/** Removes case and diacritics. A part of a text folds to a part of the folded text. */
export const fold = (text: string): string =>
  NOT_ASCII.test(text)
    ? text.normalize('NFKD').replace(COMBINING_MARKS, '').toLowerCase().replaceAll('ς', 'σ')
    : text.toLowerCase()
