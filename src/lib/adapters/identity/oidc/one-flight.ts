/**
 * One load at a time: who comes while it is under way waits for the same. It ends with the signal of who began it; who comes
 * after that begins another, whether or not it has already been torn down.
 */
export function oneFlight<Value>(load: (signal: AbortSignal) => Promise<Value>) {
  let flight: Promise<Value> | undefined
  return (signal: AbortSignal): Promise<Value> => {
    if (flight !== undefined) return flight
    const land = () => {
      if (flight === mine) flight = undefined
    }
    const mine = load(signal).finally(land)
    signal.addEventListener('abort', land, { once: true })
    flight = mine
    return mine
  }
}
