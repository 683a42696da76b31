import { createLru } from '../../concurrency/lru.ts'
import { createSingleFlight } from '../../concurrency/single-flight.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Result } from '../../result.ts'

const FAILURES_KEPT = 1_000

/**
 * Single flight per key. A failure is remembered for `retryAfterMs` and answers everybody who asks meanwhile.
 */
export function createAttempts<Value, Failure>(retryAfterMs: number, clock: Clock) {
  type Outcome = Result<Value, Failure>
  const flights = createSingleFlight<Outcome>()
  const failed = createLru<string, { readonly outcome: Outcome; readonly at: number }>(
    FAILURES_KEPT,
  )

  const isRecent = (at: number, now: number): boolean => now >= at && now - at < retryAfterMs

  return (key: string, work: () => Promise<Outcome>): Promise<Outcome> =>
    flights.join(key, async () => {
      const last = failed.get(key)
      if (last !== undefined && isRecent(last.at, clock.now())) return last.outcome
      const outcome = await work()
      if (outcome.ok) failed.delete(key)
      else failed.set(key, { outcome, at: clock.now() })
      return outcome
    })
}
