import type { Clock } from '../../ports/clock.ts'
import type { EndedCounter, RateLimitStore } from '../../ports/database/rate-limits.ts'
import { err, ok, type Result } from '../../result.ts'

/** A limit on the calls of each subject (an address, a person) in a minute. */
export interface RateLimitOptions {
  /** Key of the counters, the same in all replicas. */
  readonly name: string
  readonly perMinute: number
  /** Number of subjects that get a counter of their own, per minute and process. All later ones share one. */
  readonly subjectsMax: number
  /** Counted by this process alone, and never reported. */
  readonly isLocal?: boolean
  /** Called for each subject that exceeded the limit, in one replica and after the minute. */
  readonly onExceeded: (exceeded: Exceeded) => Promise<void>
}

export interface Exceeded {
  /** `null`: several subjects. */
  readonly subject: string | null
  /** Calls beyond the limit, without those of the last minute of a killed process. */
  readonly refused: number
  /** End of the minute. */
  readonly until: number
}

export interface RateLimit {
  /** Counts a call, and refuses it beyond the limit. */
  take(subject: string): Promise<Result<void, RateLimited>>
}

export interface RateLimited {
  readonly kind: 'rate_limited'
  readonly retryAfterSeconds: number
}

export type RateLimits = ReturnType<typeof createRateLimits>

const WINDOW_MS = 60_000
/** Time after the end of a window in which every replica has sent its counts. */
const SETTLED_AFTER_MS = 90_000
/** Matches no address and no id. */
const OTHERS = '*'

/** Calls of one subject in one window. */
interface Counter {
  /** In all processes, as far as this one knows. */
  known: number
  /** Calls that the database has not counted. */
  unsent: number
}

type Limit = ReturnType<typeof createLimit>

/**
 * Limits that replicas count together in the database, by windows that begin with each minute of the clock. A subject beyond a limit
 * is refused from memory, so that a flood costs as many writes as the limit allows. While the database is unavailable each process
 * counts for itself.
 */
export function createRateLimits(store: RateLimitStore, clock: Clock) {
  const limits = new Map<string, Limit>()

  return {
    limit(options: RateLimitOptions): RateLimit {
      const limit = createLimit(store, clock, options)
      limits.set(options.name, limit)
      return limit
    },

    /** Sends the counts of past windows and reports exceeded limits. For a timer of a minute or less. */
    async sweep(): Promise<void> {
      const now = clock.now()
      for (const limit of limits.values()) await limit.send(now)
      const ended = await store.removeEnded(now - SETTLED_AFTER_MS)
      if (!ended.ok) return
      for (const counter of ended.value) await limits.get(counter.name)?.report(counter)
    },

    /** Sends all counts, for the end of the process. Takes no longer than one call of the database that fails. */
    async close(): Promise<void> {
      await Promise.all([...limits.values()].map((limit) => limit.send(Number.POSITIVE_INFINITY)))
    },
  }
}

function createLimit(
  store: RateLimitStore,
  clock: Clock,
  { name, perMinute, subjectsMax, isLocal = false, onExceeded }: RateLimitOptions,
) {
  /** By the end of the window. */
  const windows = new Map<number, Map<string, Counter>>()

  function forget(endedBefore: number): void {
    for (const endsAt of windows.keys()) if (endsAt <= endedBefore) windows.delete(endsAt)
  }

  return {
    async take(given: string): Promise<Result<void, RateLimited>> {
      const now = clock.now()
      const endsAt = (Math.floor(now / WINDOW_MS) + 1) * WINDOW_MS
      const counters = windows.get(endsAt) ?? new Map<string, Counter>()
      windows.set(endsAt, counters)
      const subject = counters.has(given) || counters.size < subjectsMax ? given : OTHERS
      const counter = counters.get(subject) ?? { known: 0, unsent: 0 }
      counters.set(subject, counter)

      counter.known += 1
      let total = counter.known
      if (total <= perMinute && !isLocal) {
        const added = await store.add({ name, subject, endsAt }, 1)
        if (added.ok) {
          total = added.value
          counter.known = Math.max(counter.known, total)
        } else counter.unsent += 1
      } else counter.unsent += 1
      return total <= perMinute
        ? ok(undefined)
        : err({ kind: 'rate_limited', retryAfterSeconds: Math.ceil((endsAt - now) / 1000) })
    },

    /** Sends the counts of past windows. What the database does not take is sent by the next sweep, unless its window has settled by then. */
    async send(now: number): Promise<void> {
      for (const [endsAt, counters] of windows) {
        if (endsAt > now) continue
        for (const [subject, counter] of counters) {
          // Before it is sent: a sweep may begin while the one before it waits for the database.
          counters.delete(subject)
          const { unsent } = counter
          const isSent =
            unsent === 0 || isLocal || (await store.add({ name, subject, endsAt }, unsent)).ok
          if (isSent) continue
          windows.set(endsAt, counters.set(subject, counter))
          return forget(now - SETTLED_AFTER_MS)
        }
        windows.delete(endsAt)
      }
    },

    async report({ subject, count, endsAt }: EndedCounter): Promise<void> {
      if (count <= perMinute) return
      await onExceeded({
        subject: subject === OTHERS ? null : subject,
        refused: count - perMinute,
        until: endsAt,
      })
    },
  }
}
