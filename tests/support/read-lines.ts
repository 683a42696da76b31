/** Reads a stream as it comes. */
export function readLines(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let taken = 0
  let ended = false
  let pending: ReturnType<typeof reader.read> | undefined

  /** The output so far. */
  async function drain(): Promise<void> {
    while (!ended) {
      pending ??= reader.read()
      const part = await Promise.race([pending, Bun.sleep(5)])
      if (part === undefined) return
      pending = undefined
      ended = part.done
      text += decoder.decode(part.value, { stream: true })
    }
  }
  const all = async () => {
    await drain()
    return text.split('\n').filter((line) => line !== '')
  }
  return {
    all,
    /** The unread lines. */
    next: async () => {
      const lines = (await all()).slice(taken)
      taken += lines.length
      return lines
    },
    isEnded: async () => {
      await drain()
      return ended
    },
    cancel: () => reader.cancel(),
  }
}
