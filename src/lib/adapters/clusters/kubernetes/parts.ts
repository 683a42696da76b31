/** Parts are joined at this count: each costs more memory than a few bytes. */
const PARTS_MAX = 1_024

/** Collects bytes that arrive in parts. */
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
    /** At least the last `bytes` bytes, or all if there are fewer. */
    last(bytes: number): Buffer {
      let from = parts.length
      for (let length = 0; from > 0 && length < bytes; from--) {
        length += parts[from - 1]?.byteLength ?? 0
      }
      return Buffer.concat(parts.slice(from).map((part) => part.subarray(-bytes)))
    },
    /** Returns all bytes and starts empty again. */
    take(): Buffer {
      const all = Buffer.concat(parts, byteLength)
      parts = []
      byteLength = 0
      return all
    },
  }
}
