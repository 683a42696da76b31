/** Runs work one after another per key. Saves lost races within this process; across processes compare-and-swap decides. */
export function createQueue() {
  const tails = new Map<string, Promise<void>>()
  return async function inTurn<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
    const result = (tails.get(key) ?? Promise.resolve()).then(work)
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
