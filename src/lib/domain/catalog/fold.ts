const COMBINING_MARKS = /\p{M}+/gu
const NOT_ASCII = /[^\0-\x7f]/

/** Text as search compares it: without case and without diacritics. A part of a text folds to a part of its fold. */
export const fold = (text: string): string =>
  NOT_ASCII.test(text)
    ? text.normalize('NFKD').replace(COMBINING_MARKS, '').toLowerCase().replaceAll('ς', 'σ')
    : text.toLowerCase()
