/** Wall-clock time. A port, so that expiry and staleness are tested without waiting. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** For lengths of time that setting the wall clock must not change. */
export interface SteadyClock extends Clock {
  /** Milliseconds since any fixed point. */
  elapsed(): number
}

export const systemClock: SteadyClock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
}
