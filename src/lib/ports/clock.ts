/** Wall-clock time. A port, so that expiry and staleness are tested without waiting. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }
