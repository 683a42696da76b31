import { LRUCache } from 'lru-cache'
import type { Clock } from '../../ports/clock.ts'
import type { Result } from '../../result.ts'

const FAILURES_KEPT = 1_000

/**
 * One attempt at a thing at a time, however many ask for it. One that failed is not made again for `retryAfterMs`: its failure
 * is the answer to everybody.
 */
export function createAttempts<Value, Failure>({
  retryAfterMs,
  clock,
}: {
  readonly retryAfterMs: number
  readonly clock: Clock
}) {
  type Outcome = Result<Value, Failure>
  const going = new Map<string, Promise<Outcome>>()
  const failed = new LRUCache<string, { readonly outcome: Outcome; readonly at: number }>({
    max: FAILURES_KEPT,
  })

  const isRecent = (at: number, now: number): boolean => now >= at && now - at < retryAfterMs

  async function make(key: string, work: () => Promise<Outcome>): Promise<Outcome> {
    try {
      const outcome = await work()
      if (outcome.ok) failed.delete(key)
      else failed.set(key, { outcome, at: clock.now() })
      return outcome
    } finally {
      going.delete(key)
    }
  }

  return function attempt(key: string, work: () => Promise<Outcome>): Promise<Outcome> {
    const joined = going.get(key)
    if (joined !== undefined) return joined
    const last = failed.get(key)
    if (last !== undefined && isRecent(last.at, clock.now())) return Promise.resolve(last.outcome)
    const started = make(key, work)
    going.set(key, started)
    return started
  }
}
