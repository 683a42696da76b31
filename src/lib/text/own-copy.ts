/** A copy of a part of a text, for what is kept: a slice keeps the whole text in memory. Half a surrogate pair becomes U+FFFD. */
export const ownCopy = (part: string): string => Buffer.from(part).toString()
