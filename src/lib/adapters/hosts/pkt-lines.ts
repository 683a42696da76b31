/** The framing of git's protocols (gitprotocol-common(5)): four hexadecimal digits of length, themselves included, then the payload. */

export const PKT_HEAD_BYTES = 4

export const FLUSH = '0000'

export function pktLine(text: string): string {
  const length = Buffer.byteLength(text) + PKT_HEAD_BYTES
  return `${length.toString(16).padStart(PKT_HEAD_BYTES, '0')}${text}`
}

/** Length of the packet that starts there, zero for a flush packet; `undefined` for other text. */
export function pktLength(bytes: Buffer, at: number): number | undefined {
  const digits = bytes.toString('latin1', at, at + PKT_HEAD_BYTES)
  return /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : undefined
}
