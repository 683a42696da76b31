import { ownCopy } from '../../text/own-copy.ts'

/** No trailer is as long. */
const LINE_MAX_CHARACTERS = 1_000

/** A git trailer, which marks pull requests and commits as the portal's own. */
export const trailer = (key: string, value: string): string => `${key}: ${value}`

/** The value of the last line, if that is such a trailer. */
export function lastTrailer(text: string, key: string): string | undefined {
  const last = text.slice(text.trimEnd().lastIndexOf('\n') + 1).trimEnd()
  const start = trailer(key, '')
  return last.startsWith(start) ? last.slice(start.length) : undefined
}

/** Only the last line counts: free text of a request may contain the same line further up. */
export const endsWithTrailer = (text: string, key: string, value: string): boolean =>
  lastTrailer(text, key) === value

/** The last line of a text, to be kept in its place: enough to tell the trailer, and empty for a longer line than any trailer. */
export function lastLineOf(text: string): string {
  const whole = text.trimEnd()
  const line = whole.slice(whole.lastIndexOf('\n') + 1)
  return line.length > LINE_MAX_CHARACTERS ? '' : ownCopy(line)
}
