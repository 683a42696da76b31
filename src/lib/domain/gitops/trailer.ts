/** A git trailer, which marks pull requests and commits as the portal's own. */
export const trailer = (key: string, value: string): string => `${key}: ${value}`

/** Only the last line counts: free text of a request may contain the same line further up. */
export const endsWithTrailer = (text: string, key: string, value: string): boolean =>
  text.trimEnd().split('\n').at(-1) === trailer(key, value)
