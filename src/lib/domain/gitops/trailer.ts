/**
 * The last line of a text says whose it is, as in the trailers of git's commit messages: a title can be edited, and a branch be
 * pushed by anybody.
 */
export const trailer = (key: string, value: string): string => `${key}: ${value}`

export const endsWithTrailer = (text: string, key: string, value: string): boolean =>
  text.trimEnd().split('\n').at(-1) === trailer(key, value)
