import { createParty, inParty, joinParty, type Party, stepAside } from './on-behalf-of.ts'

interface Flight<Value> {
  readonly party: Party
  readonly outcome: Promise<Value>
}

/**
 * Does one work at a time per key; an object is its own key. Who asks while it is under way gets its outcome, and lends it their turn where it
 * waits for one; nothing is kept afterwards.
 */
export function createSingleFlight<Value>() {
  const flights = new Map<string | object, Flight<Value>>()

  function begin(key: string | object, start: () => Promise<Value>): Promise<Value> {
    const party = createParty()
    joinParty(party)
    const outcome = inParty(party, start).finally(() => flights.delete(key))
    flights.set(key, { party, outcome })
    return outcome
  }

  return {
    /** Joins the work for the key, or starts it. */
    join(key: string | object, start: () => Promise<Value>): Promise<Value> {
      const flight = flights.get(key)
      if (flight === undefined) return begin(key, start)
      joinParty(flight.party)
      stepAside()
      return flight.outcome
    },
    /** Waits for all work that is under way. */
    ended: async (): Promise<void> =>
      void (await Promise.all([...flights.values()].map(({ outcome }) => outcome))),
  }
}
