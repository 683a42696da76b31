/** Does one work at a time per key; an object is its own key. Who asks while it is under way gets its outcome; nothing is kept afterwards. */
export function createSingleFlight<Value>() {
  const flights = new Map<string | object, Promise<Value>>()
  return {
    /** Joins the work for the key, or starts it. */
    join(key: string | object, start: () => Promise<Value>): Promise<Value> {
      const flight = flights.get(key) ?? start().finally(() => flights.delete(key))
      flights.set(key, flight)
      return flight
    },
    /** Waits for all work that is under way. */
    ended: async (): Promise<void> => void (await Promise.all(flights.values())),
  }
}
