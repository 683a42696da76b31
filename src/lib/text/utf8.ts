const strict = new TextDecoder('utf-8', { fatal: true })
const exact = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes without a leading byte order mark. Returns `undefined` for invalid UTF-8 instead of replacing anything. */
export const decodeUtf8 = (bytes: Uint8Array): string | undefined => decode(strict, bytes)

/** Decodes with the byte order mark, so that encoding gives the same bytes again. `undefined` for invalid UTF-8. */
export const decodeUtf8Exactly = (bytes: Uint8Array): string | undefined => decode(exact, bytes)

function decode(decoder: TextDecoder, bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}
