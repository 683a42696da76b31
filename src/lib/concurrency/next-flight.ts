import { createParty, inParty, joinParty, type Party, stepAside } from './on-behalf-of.ts'

/**
 * Does one work at a time per key. Who asks while it is under way shares the next one with all others who do: everybody gets the outcome of
 * a work that began after they asked, and lends it their turn where it waits for one. The signal of a work aborts when all who wait for it have left.
 */
export function createNextFlight<Value>() {
  interface Flight {
    readonly outcome: Promise<Value>
    readonly party: Party
    wanted: Wanted
    next: Flight | undefined
  }
  const flights = new Map<string, Flight>()

  function begin(
    key: string,
    start: (signal: AbortSignal) => Promise<Value>,
    { wanted, party }: Pick<Flight, 'wanted' | 'party'>,
  ) {
    const outcome = inParty(party, () => start(wanted.signal)).finally(() => {
      if (flight.next === undefined) flights.delete(key)
    })
    const flight: Flight = { outcome, party, wanted, next: undefined }
    flights.set(key, flight)
    return flight
  }

  function follow(key: string, start: (signal: AbortSignal) => Promise<Value>, flight: Flight) {
    const after = () => begin(key, start, next).outcome
    const outcome = flight.outcome.then(after, after)
    const next: Flight = { outcome, party: createParty(), wanted: createWanted(), next: undefined }
    return next
  }

  return (
    key: string,
    start: (signal: AbortSignal) => Promise<Value>,
    client?: AbortSignal,
  ): Promise<Value> => {
    const flight = flights.get(key)
    if (flight === undefined) {
      const wanted = createWanted()
      wanted.by(client)
      const party = createParty()
      joinParty(party)
      return begin(key, start, { wanted, party }).outcome
    }
    const next = (flight.next ??= follow(key, start, flight))
    // All who waited for it have left, and it has not begun.
    if (next.wanted.signal.aborted) next.wanted = createWanted()
    next.wanted.by(client)
    joinParty(next.party)
    stepAside()
    return next.outcome
  }
}

type Wanted = ReturnType<typeof createWanted>

/** A signal that aborts when each of those for whom something is done has left. Without a signal one stays. */
function createWanted() {
  const unwanted = new AbortController()
  let clients = 0
  return {
    signal: unwanted.signal,
    by(client: AbortSignal | undefined): void {
      clients += 1
      const leave = () => {
        clients -= 1
        if (clients === 0) unwanted.abort(client?.reason)
      }
      if (client?.aborted === true) leave()
      else client?.addEventListener('abort', leave, { once: true })
    },
  }
}
