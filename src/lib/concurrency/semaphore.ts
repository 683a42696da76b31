/**
 * Runs at most `permits` pieces of work at a time; the others wait in the order of their arrival. An aborted `signal` ends the waiting with
 * its reason, not the work.
 */
export function createSemaphore(permits: number) {
  const waiting = new Set<() => void>()
  let running = 0

  async function enter(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    if (running < permits) {
      running += 1
      return
    }
    // `leave` passes its permit to the next waiter, so that no newcomer overtakes it.
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const giveUp = () => {
      waiting.delete(resolve)
      reject(signal?.reason)
    }
    waiting.add(resolve)
    signal?.addEventListener('abort', giveUp, { once: true })
    try {
      await promise
    } finally {
      signal?.removeEventListener('abort', giveUp)
    }
  }
  function leave(): void {
    const next = waiting.values().next().value
    if (next === undefined) running -= 1
    else {
      waiting.delete(next)
      next()
    }
  }

  return async function inTurn<Value>(
    work: () => Promise<Value>,
    signal?: AbortSignal,
  ): Promise<Value> {
    await enter(signal)
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
