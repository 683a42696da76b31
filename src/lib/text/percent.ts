/** Decodes percent-encoding (RFC 3986 §2.1). `undefined` for text that is encoded badly. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
