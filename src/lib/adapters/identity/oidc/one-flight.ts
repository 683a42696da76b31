/**
 * Single-flight: concurrent callers share one load. The first caller's signal ends it; a later caller then starts another, even
 * while the aborted load is still being torn down.
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
