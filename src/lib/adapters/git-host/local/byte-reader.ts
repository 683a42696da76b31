const NEWLINE = 10

/** Cuts a stream of bytes into lines and counted pieces. */
export function createByteReader(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader()
  let buffered: Uint8Array = new Uint8Array()

  async function more(): Promise<boolean> {
    const { done, value } = await reader.read()
    if (done) return false
    buffered = buffered.length === 0 ? value : Buffer.concat([buffered, value])
    return true
  }

  return {
    /** The next line without its end; `undefined` when the stream ends before one does. */
    async line(): Promise<string | undefined> {
      for (;;) {
        const end = buffered.indexOf(NEWLINE)
        if (end >= 0) {
          const line = new TextDecoder().decode(buffered.subarray(0, end))
          buffered = buffered.subarray(end + 1)
          return line
        }
        if (!(await more())) return undefined
      }
    },

    /** Exactly `length` bytes, each piece shown to `onPiece` as it arrives; `undefined` when there are fewer. */
    async bytes(
      length: number,
      onPiece: (piece: Uint8Array) => void,
    ): Promise<Uint8Array<ArrayBuffer> | undefined> {
      const whole = new Uint8Array(length)
      let filled = 0
      while (filled < length) {
        if (buffered.length === 0 && !(await more())) return undefined
        const piece = buffered.subarray(0, length - filled)
        whole.set(piece, filled)
        onPiece(piece)
        filled += piece.length
        buffered = buffered.subarray(piece.length)
      }
      return whole
    },
  }
}
