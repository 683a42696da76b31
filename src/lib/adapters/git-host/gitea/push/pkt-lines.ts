/** The framing of git's protocols (gitprotocol-common(5)): four hexadecimal digits of length, themselves included, then the payload. */

const HEAD_BYTES = 4

export const FLUSH = '0000'

export function pktLine(text: string): string {
  const length = Buffer.byteLength(text) + HEAD_BYTES
  return `${length.toString(16).padStart(HEAD_BYTES, '0')}${text}`
}

/** Payloads up to the first flush packet or the end. Returns `undefined` for other text and for a cut-off packet. */
export function readPktLines(bytes: Buffer): readonly Buffer[] | undefined {
  const lines: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const digits = bytes.toString('latin1', at, at + HEAD_BYTES)
    if (!/^[0-9a-f]{4}$/i.test(digits)) return undefined
    const length = Number.parseInt(digits, 16)
    if (length === 0) return lines
    if (length < HEAD_BYTES || at + length > bytes.length) return undefined
    lines.push(bytes.subarray(at + HEAD_BYTES, at + length))
    at += length
  }
  return lines
}
