/** Runs at most `permits` pieces of work at a time; the others wait in the order of their arrival. */
export function createSemaphore(permits: number) {
  const waiting: (() => void)[] = []
  let running = 0

  async function enter(): Promise<void> {
    if (running < permits) {
      running += 1
      return
    }
    // `leave` passes its permit to the next waiter, so that no newcomer overtakes it.
    await new Promise<void>((resolve) => waiting.push(resolve))
  }
  function leave(): void {
    const next = waiting.shift()
    if (next === undefined) running -= 1
    else next()
  }

  return async function inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    await enter()
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
