/**
 * Runs work on one thing one after another; different things do not wait for each other. Only to save lost races within this
 * process: across processes compare-and-swap decides.
 */
export function createQueue() {
  const tails = new Map<string, Promise<void>>()
  return async function inTurn<Value>(thing: string, work: () => Promise<Value>): Promise<Value> {
    const mine = (tails.get(thing) ?? Promise.resolve()).then(work)
    const tail = swallow(mine)
    tails.set(thing, tail)
    try {
      return await mine
    } finally {
      if (tails.get(thing) === tail) tails.delete(thing)
    }
  }
}

/** A failed write is its caller's; the next one starts all the same. */
async function swallow(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch {}
}

export type InTurn = ReturnType<typeof createQueue>
