import type { Clock } from '../ports/clock.ts'
import { err, ok, type Result } from '../result.ts'

/**
 * A Map with time-to-live whose values are loaded, not set.
 *
 * - One load at a time per key, however many wait for it; a load that began before an invalidation is never the answer
 *   to a read that came after it.
 * - Age counts from the start of the load. A value never goes back to an older one.
 * - When loading fails, the old value goes on being served, marked stale, up to `maxStaleMs` past its time. After an
 *   invalidation only if the failure is an outage: then nothing newer can be had.
 * - A failure is remembered for `retryAfterMs`, not for longer, and not beyond an invalidation.
 */
export interface TtlCache<Key, Value, Failure> {
  /** At once when there is a fresh value, so that the common case costs no turn of the event loop. */
  read(key: Key): CacheRead<Value, Failure> | Promise<CacheRead<Value, Failure>>
  invalidate(key: Key): void
  /** What is there, without loading. */
  peek(key: Key): Cached<Value> | undefined
}

export interface Cached<Value> {
  readonly value: Value
  /** When the load began that brought or confirmed it, in milliseconds since the Unix epoch. */
  readonly loadedAt: number
  readonly stale: boolean
}

export type CacheRead<Value, Failure> = Result<Cached<Value>, Failure>

export interface TtlCacheOptions<Key, Value, Failure> {
  readonly ttlMs: number
  readonly maxStaleMs: number
  /** A fresh value older than this is loaded again in the background, while it is served. */
  readonly refreshAfterMs: number
  readonly retryAfterMs: number
  readonly clock: Clock
  readonly isOutage: (failure: Failure) => boolean
  readonly load: (key: Key, previous: Value | undefined) => Promise<Result<Value, Failure>>
  /** Told of every load that ended. */
  readonly onLoaded?: (outcome: Result<Value, Failure>, tookMs: number) => void
}

interface Entry<Value, Failure> {
  /** Counts invalidations. What was loaded under an older count is stale. */
  generation: number
  current: { value: Value; loadedAt: number; generation: number } | undefined
  flight: { generation: number; outcome: Promise<Result<Value, Failure>> } | undefined
  failed: { error: Failure; at: number; generation: number } | undefined
}

export function createTtlCache<Key, Value, Failure>({
  ttlMs,
  maxStaleMs,
  refreshAfterMs,
  retryAfterMs,
  clock,
  isOutage,
  load,
  onLoaded,
}: TtlCacheOptions<Key, Value, Failure>): TtlCache<Key, Value, Failure> {
  type CacheEntry = Entry<Value, Failure>
  const entries = new Map<Key, CacheEntry>()

  function entryOf(key: Key): CacheEntry {
    const existing = entries.get(key)
    if (existing !== undefined) return existing
    const entry: CacheEntry = {
      generation: 0,
      current: undefined,
      flight: undefined,
      failed: undefined,
    }
    entries.set(key, entry)
    return entry
  }

  const isFresh = ({ current, generation }: CacheEntry, now: number): boolean =>
    current !== undefined &&
    current.generation === generation &&
    now - current.loadedAt < ttlMs &&
    now >= current.loadedAt

  const hasJustFailed = ({ failed, generation }: CacheEntry, now: number): boolean =>
    failed !== undefined &&
    failed.generation === generation &&
    now - failed.at < retryAfterMs &&
    now >= failed.at

  /** Starts a load, or joins the one whose answer is new enough. One runs at a time; who came too late for it shares the next. */
  function loadAfterInvalidations(key: Key, entry: CacheEntry): Promise<Result<Value, Failure>> {
    const { flight } = entry
    if (flight === undefined) return startLoad(key, entry)
    if (flight.generation === entry.generation) return flight.outcome
    const afterFlight = () => loadAfterInvalidations(key, entry)
    return flight.outcome.then(afterFlight, afterFlight)
  }

  function startLoad(key: Key, entry: CacheEntry): Promise<Result<Value, Failure>> {
    const { generation } = entry
    const loadedAt = clock.now()
    const outcome = load(key, entry.current?.value)
      .then((loaded) => {
        if (loaded.ok) entry.current = { value: loaded.value, loadedAt, generation }
        entry.failed = loaded.ok ? undefined : { error: loaded.error, at: clock.now(), generation }
        onLoaded?.(loaded, clock.now() - loadedAt)
        return loaded
      })
      .finally(() => {
        entry.flight = undefined
      })
    entry.flight = { generation, outcome }
    return outcome
  }

  function staleOr(entry: CacheEntry, error: Failure): CacheRead<Value, Failure> {
    const { current, generation } = entry
    if (current === undefined) return err(error)
    const isTooOld = clock.now() - current.loadedAt - ttlMs > maxStaleMs
    const isInvalidated = current.generation !== generation
    if (isTooOld || (isInvalidated && !isOutage(error))) return err(error)
    return ok({ value: current.value, loadedAt: current.loadedAt, stale: true })
  }

  return {
    read(key) {
      const entry = entryOf(key)
      const now = clock.now()
      if (entry.current !== undefined && isFresh(entry, now)) {
        const isDue = now - entry.current.loadedAt >= refreshAfterMs
        if (isDue && entry.flight === undefined && !hasJustFailed(entry, now)) {
          void startLoad(key, entry).catch(() => undefined)
        }
        return ok({ value: entry.current.value, loadedAt: entry.current.loadedAt, stale: false })
      }
      if (entry.failed !== undefined && hasJustFailed(entry, now)) {
        return staleOr(entry, entry.failed.error)
      }
      return loadAfterInvalidations(key, entry).then((loaded) => {
        if (!loaded.ok) return staleOr(entry, loaded.error)
        return ok({
          value: loaded.value,
          loadedAt: entry.current?.loadedAt ?? now,
          stale: false,
        })
      })
    },
    invalidate(key) {
      entryOf(key).generation++
    },
    peek(key) {
      const entry = entryOf(key)
      if (entry.current === undefined) return undefined
      const { value, loadedAt } = entry.current
      return { value, loadedAt, stale: !isFresh(entry, clock.now()) }
    },
  }
}
