/**
 * Runs work one after another per key, and tells it whether it waited for other work: what was read before may be out of date then.
 * Saves lost races within this process; across processes compare-and-swap decides.
 */
export function createQueue() {
  const tails = new Map<string, Promise<void>>()
  return async function inTurn<Value>(
    key: string,
    work: (hasWaited: boolean) => Promise<Value>,
  ): Promise<Value> {
    const before = tails.get(key)
    const result = (before ?? Promise.resolve()).then(() => work(before !== undefined))
    const tail = swallow(result)
    tails.set(key, tail)
    try {
      return await result
    } finally {
      if (tails.get(key) === tail) tails.delete(key)
    }
  }
}

/** A failure is reported to its caller; the next work starts nevertheless. */
async function swallow(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch {}
}

export type InTurn = ReturnType<typeof createQueue>
