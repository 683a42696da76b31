import type { Clock } from '../../ports/clock.ts'
import type { RateLimitStore } from '../../ports/database.ts'
import { err, ok, type Result } from '../../result.ts'

/** A limit of calls per subject (an address, a person) and minute. */
export interface RateLimitOptions {
  /** Names the counters, in all replicas. */
  readonly name: string
  readonly perMinute: number
  /** Subjects with a counter of their own in one minute and process; all later ones share one. */
  readonly subjectsMax: number
  /** Told about each subject that went beyond the limit, after the end of the minute and by one replica. */
  readonly onExceeded: (exceeded: Exceeded) => Promise<void>
}

export interface Exceeded {
  /** `null`: several subjects. */
  readonly subject: string | null
  /** Calls beyond the limit. A process that dies takes its latest calls with it. */
  readonly refused: number
  /** End of the minute, or of the minutes. */
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
/** After a window's end the replicas have this time to send their counts, which they do once a minute. */
const SETTLED_AFTER_MS = 90_000
/** Matches no address and no id. */
const OTHERS = '*'

/** Calls of one subject in one window. */
interface Counter {
  /** In this process. */
  here: number
  /** In all processes, as far as known. */
  total: number
  /** Not in the database yet. */
  unsent: number
  /** Refused by this process. */
  refused: number
}

interface Window {
  readonly endsAt: number
  readonly counters: Map<string, Counter>
}

/**
 * Limits that replicas count together in the database, by windows that begin with each minute of the clock. A subject beyond a limit
 * is refused from memory, so that a flood costs as many writes as the limit allows. While the database is unavailable each process
 * counts for itself.
 */
export function createRateLimits({
  store,
  clock,
}: {
  readonly store: RateLimitStore
  readonly clock: Clock
}) {
  const limits = new Map<string, ReturnType<typeof createLimit>>()

  return {
    limit(options: RateLimitOptions): RateLimit {
      const limit = createLimit(store, clock, options)
      limits.set(options.name, limit)
      return limit
    },

    /** Sends the counts of past windows and tells about the exceeded limits. For a timer of a minute or less. */
    async sweep(): Promise<void> {
      const now = clock.now()
      for (const limit of limits.values()) {
        const unsent = await limit.send(now)
        await limit.tell(OTHERS, unsent, now)
      }
      const ended = await store.removeEnded(now - SETTLED_AFTER_MS)
      if (!ended.ok) return
      for (const { name, subject, endsAt, count } of ended.value) {
        const limit = limits.get(name)
        await limit?.tell(subject, count - limit.perMinute, endsAt)
      }
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
  { name, perMinute, subjectsMax, onExceeded }: RateLimitOptions,
) {
  const windows = new Map<number, Window>()

  function windowAt(now: number): Window {
    const endsAt = (Math.floor(now / WINDOW_MS) + 1) * WINDOW_MS
    const window = windows.get(endsAt) ?? { endsAt, counters: new Map<string, Counter>() }
    windows.set(endsAt, window)
    return window
  }

  return {
    perMinute,

    async take(given: string): Promise<Result<void, RateLimited>> {
      const now = clock.now()
      const { endsAt, counters } = windowAt(now)
      const subject = counters.has(given) || counters.size < subjectsMax ? given : OTHERS
      const counter = counters.get(subject) ?? { here: 0, total: 0, unsent: 0, refused: 0 }
      counters.set(subject, counter)
      counter.here += 1
      const isBeyond = Math.max(counter.here, counter.total) > perMinute
      const added = isBeyond ? null : await store.add({ name, subject, endsAt }, 1)
      if (added?.ok === true) counter.total = Math.max(counter.total, added.value)
      else counter.unsent += 1
      if (added !== null && (!added.ok || added.value <= perMinute)) return ok(undefined)
      counter.refused += 1
      return err({ kind: 'rate_limited', retryAfterSeconds: Math.ceil((endsAt - now) / 1000) })
    },

    /**
     * Sends the counts of past windows, and of later ones than the next, which a clock that was set back has left. Stops asking a
     * database that does not answer. Answers how many refusals were not sent.
     */
    async send(now: number): Promise<number> {
      let isAway = false
      let unsentRefusals = 0
      const past = [...windows.values()].filter(
        ({ endsAt }) => endsAt <= now || endsAt > now + WINDOW_MS,
      )
      for (const { endsAt, counters } of past) {
        windows.delete(endsAt)
        for (const [subject, { unsent, refused }] of counters) {
          if (unsent === 0) continue
          if (!isAway) isAway = !(await store.add({ name, subject, endsAt }, unsent)).ok
          if (isAway) unsentRefusals += refused
        }
      }
      return unsentRefusals
    },

    async tell(subject: string, refused: number, until: number): Promise<void> {
      if (refused <= 0) return
      await onExceeded({ subject: subject === OTHERS ? null : subject, refused, until })
    },
  }
}
