/**
 * Merges sources into one, in the order in which their values come. A source is asked for its next value when the one before was
 * taken, so that at most one value of each waits for a slow reader. Ends when every source has ended, or when `signal` aborts, which
 * has to wake the sources too; those that have not ended are closed then. Sources must not throw.
 */
export async function* merge<Value>(
  sources: readonly AsyncGenerator<Value, void, void>[],
  signal: AbortSignal,
): AsyncGenerator<Value, void, void> {
  const ready: { readonly source: AsyncGenerator<Value, void, void>; readonly value: Value }[] = []
  let running = sources.length
  // Not a race: the pending promise of a quiet source would retain every race that it was part of.
  let wake = Promise.withResolvers<void>()
  const onAbort = () => wake.resolve()
  signal.addEventListener('abort', onAbort, { once: true })

  async function advance(source: AsyncGenerator<Value, void, void>): Promise<void> {
    const next = await source.next()
    if (next.done === true) running -= 1
    else ready.push({ source, value: next.value })
    wake.resolve()
  }

  try {
    for (const source of sources) void advance(source)
    while (!signal.aborted) {
      const first = ready.shift()
      if (first !== undefined) {
        yield first.value
        void advance(first.source)
      } else if (running === 0) return
      else {
        wake = Promise.withResolvers()
        await wake.promise
      }
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    for (const source of sources) void source.return()
  }
}
