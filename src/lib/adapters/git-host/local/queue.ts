/**
 * Runs the writes to one repository one after another; different repositories do not wait for each other. Only to save
 * lost races within this process: across processes git's own compare-and-swap decides.
 */
export function createQueue() {
  const tails = new Map<string, Promise<void>>()
  return async function inTurn<Value>(
    directory: string,
    work: () => Promise<Value>,
  ): Promise<Value> {
    const mine = (tails.get(directory) ?? Promise.resolve()).then(work)
    const tail = swallow(mine)
    tails.set(directory, tail)
    try {
      return await mine
    } finally {
      if (tails.get(directory) === tail) tails.delete(directory)
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
