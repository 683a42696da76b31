/** Text that arrives as bytes. What is not UTF-8 is `undefined`: nothing in it is replaced. */

const strict = new TextDecoder('utf-8', { fatal: true })
const exact = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Less the byte order mark, if it begins with one. */
export const decodeUtf8 = (bytes: Uint8Array): string | undefined => decode(strict, bytes)

/** With its byte order mark: written again, it is the same bytes. */
export const decodeUtf8Exactly = (bytes: Uint8Array): string | undefined => decode(exact, bytes)

function decode(decoder: TextDecoder, bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}
