const NEWLINE = 10
const LITTLE_BYTES = 16 * 1024

/**
 * Cuts a stream of bytes into lines and counted pieces. What has arrived already can be had without waiting: a turn of the
 * event loop for each of ten thousand small files would cost more than reading them. For the same reason it waits `gatherMs`
 * after a read that brought little: a writer that writes little at a time would be read as little at a time.
 */
export function createByteReader(stream: ReadableStream<Uint8Array>, gatherMs: number) {
  const reader = stream.getReader()
  let buffered: Buffer = Buffer.alloc(0)
  let at = 0
  let last = LITTLE_BYTES

  async function more(): Promise<boolean> {
    if (last < LITTLE_BYTES && gatherMs > 0) await Bun.sleep(gatherMs)
    const { done, value } = await reader.read()
    if (done) return false
    last = value.length
    const rest = buffered.subarray(at)
    buffered =
      rest.length === 0
        ? Buffer.from(value.buffer, value.byteOffset, value.length)
        : Buffer.concat([rest, value])
    at = 0
    return true
  }

  /** `undefined` when it has not all arrived. */
  function bufferedLine(): string | undefined {
    const end = buffered.indexOf(NEWLINE, at)
    if (end < 0) return undefined
    const line = buffered.toString('utf8', at, end)
    at = end + 1
    return line
  }

  /** A copy, so that a small piece does not keep a large one. `undefined` when it has not all arrived. */
  function bufferedBytes(length: number): Uint8Array<ArrayBuffer> | undefined {
    if (buffered.length - at < length) return undefined
    const bytes = new Uint8Array(buffered.subarray(at, at + length))
    at += length
    return bytes
  }

  return {
    bufferedLine,
    bufferedBytes,

    /** The next line without its end; `undefined` when the stream ends before one does. */
    async line(): Promise<string | undefined> {
      for (;;) {
        const line = bufferedLine()
        if (line !== undefined) return line
        if (!(await more())) return undefined
      }
    },

    /** Exactly `length` bytes; `undefined` when there are fewer. */
    async bytes(length: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
      const whole = new Uint8Array(length)
      let filled = 0
      while (filled < length) {
        if (at === buffered.length && !(await more())) return undefined
        const piece = buffered.subarray(at, at + length - filled)
        whole.set(piece, filled)
        filled += piece.length
        at += piece.length
      }
      return whole
    },

    /** Drops `length` bytes; `undefined` when there are fewer. */
    async skip(length: number): Promise<'skipped' | undefined> {
      let left = length
      while (left > 0) {
        if (at === buffered.length && !(await more())) return undefined
        const dropped = Math.min(left, buffered.length - at)
        at += dropped
        left -= dropped
      }
      return 'skipped'
    },
  }
}
