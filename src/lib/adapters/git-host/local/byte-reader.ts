const NEWLINE = 10

/**
 * Cuts a stream of bytes into lines and counted pieces. What has arrived already can be had without waiting: a turn of the
 * event loop for each of ten thousand small files would cost more than reading them.
 */
export function createByteReader(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader()
  let buffered: Buffer = Buffer.alloc(0)

  async function more(): Promise<boolean> {
    const { done, value } = await reader.read()
    if (done) return false
    buffered =
      buffered.length === 0
        ? Buffer.from(value.buffer, value.byteOffset, value.length)
        : Buffer.concat([buffered, value])
    return true
  }

  /** `undefined` when it has not all arrived. */
  function bufferedLine(): string | undefined {
    const end = buffered.indexOf(NEWLINE)
    if (end < 0) return undefined
    const line = buffered.toString('utf8', 0, end)
    buffered = buffered.subarray(end + 1)
    return line
  }

  /** A copy, so that a small piece does not keep a large one. `undefined` when it has not all arrived. */
  function bufferedBytes(length: number): Uint8Array<ArrayBuffer> | undefined {
    if (buffered.length < length) return undefined
    const bytes = new Uint8Array(length)
    bytes.set(buffered.subarray(0, length))
    buffered = buffered.subarray(length)
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
        if (buffered.length === 0 && !(await more())) return undefined
        const piece = buffered.subarray(0, length - filled)
        whole.set(piece, filled)
        filled += piece.length
        buffered = buffered.subarray(piece.length)
      }
      return whole
    },

    /** Drops `length` bytes; `undefined` when there are fewer. */
    async skip(length: number): Promise<'skipped' | undefined> {
      let left = length
      while (left > 0) {
        if (buffered.length === 0 && !(await more())) return undefined
        const dropped = Math.min(left, buffered.length)
        buffered = buffered.subarray(dropped)
        left -= dropped
      }
      return 'skipped'
    },
  }
}
