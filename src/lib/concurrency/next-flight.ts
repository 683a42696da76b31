/**
 * Does one work at a time per key. Who asks while it is under way shares the next one with all others who do: everybody gets the outcome of
 * a work that began after they asked.
 */
export function createNextFlight<Value>() {
  interface Flight {
    readonly outcome: Promise<Value>
    next: Promise<Value> | undefined
  }
  const flights = new Map<string, Flight>()

  function begin(key: string, start: () => Promise<Value>): Promise<Value> {
    const outcome = start().finally(() => {
      if (flight.next === undefined) flights.delete(key)
    })
    const flight: Flight = { outcome, next: undefined }
    flights.set(key, flight)
    return outcome
  }

  return (key: string, start: () => Promise<Value>): Promise<Value> => {
    const flight = flights.get(key)
    if (flight === undefined) return begin(key, start)
    const after = () => begin(key, start)
    flight.next ??= flight.outcome.then(after, after)
    return flight.next
  }
}
