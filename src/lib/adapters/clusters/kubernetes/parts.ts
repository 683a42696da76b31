/** Small parts are put together now and then: a part weighs more than its byte. */
const PARTS_MAX = 1_024

/** Bytes that come in parts, until there are enough of them. */
export function createParts() {
  let parts: Uint8Array[] = []
  let byteLength = 0
  return {
    byteLength: (): number => byteLength,
    add(part: Uint8Array): void {
      parts.push(part)
      byteLength += part.byteLength
      if (parts.length === PARTS_MAX) parts = [Buffer.concat(parts, byteLength)]
    },
    /** The last so many bytes, or all. */
    last(bytes: number): Buffer {
      let from = parts.length
      for (let length = 0; from > 0 && length < bytes; from--) {
        length += parts[from - 1]?.byteLength ?? 0
      }
      return Buffer.concat(parts.slice(from).map((part) => part.subarray(-bytes)))
    },
    /** All of them. What follows begins anew. */
    take(): Buffer {
      const all = Buffer.concat(parts, byteLength)
      parts = []
      byteLength = 0
      return all
    },
  }
}
