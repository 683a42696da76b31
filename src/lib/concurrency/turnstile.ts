/** Lets so many do their work at once; the others wait, first come first served. */
export function createTurnstile(atOnce: number) {
  const waiting: (() => void)[] = []
  let inside = 0

  async function enter(): Promise<void> {
    if (inside < atOnce) {
      inside += 1
      return
    }
    // Who leaves hands its place over: nobody comes in between.
    await new Promise<void>((resolve) => waiting.push(resolve))
  }
  function leave(): void {
    const next = waiting.shift()
    if (next === undefined) inside -= 1
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
