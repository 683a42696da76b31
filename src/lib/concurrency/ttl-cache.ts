import type { Clock } from '../ports/clock.ts'
import { err, ok, type Result } from '../result.ts'
import { createLru } from './lru.ts'
import { onNobodysBehalf, stepAside } from './on-behalf-of.ts'
import { inTime } from './in-time.ts'

/**
 * A Map with time-to-live whose values are loaded, not set.
 *
 * - One load at a time per key. A read after an invalidation never gets a value whose load began before it.
 * - Age counts from the start of the load. A value is never replaced by an older one.
 * - When a load fails, the old value is served as stale, up to `maxStaleMs` past its time; after an invalidation only when the
 *   failure is an outage, because then nothing newer can be had.
 * - When a load takes longer than `patience`, that is the failure `tooLate` for those who wait, and the load goes on.
 * - A partial value, which another load would complete, is served as stale and loaded again at once in the background.
 * - Before the first load has succeeded, a recalled value stands in for it as an invalidated one would.
 * - A failure is remembered for `retryAfterMs`, or until an invalidation.
 */
export interface TtlCache<Key, Value, Failure> {
  /** Synchronous when the value is fresh. */
  read(key: Key): CacheRead<Value, Failure> | Promise<CacheRead<Value, Failure>>
  invalidate(key: Key): void
  /** The current value, without loading. */
  peek(key: Key): CachedValue<Value> | undefined
}

export interface CachedValue<Value> {
  readonly value: Value
  /** When the load began that brought or confirmed the value, in milliseconds since the Unix epoch. */
  readonly loadedAt: number
  readonly stale: boolean
}

export type CacheRead<Value, Failure> = Result<CachedValue<Value>, Failure>

export interface TtlCacheOptions<Key, Value, Failure> {
  readonly ttlMs: number
  /** By default an hour. */
  readonly maxStaleMs?: number
  /** A fresh value older than this is loaded again in the background, while it is served. */
  readonly refreshAfterMs: number
  /** By default two seconds. */
  readonly retryAfterMs?: number
  /** By default who waits for a load waits to its end. */
  readonly patience?: { readonly ms: number; readonly tooLate: Failure }
  readonly clock: Clock
  readonly isOutage: (failure: Failure) => boolean
  readonly isPartial?: (value: Value) => boolean
  readonly load: (key: Key, previous: Value | undefined) => Promise<Result<Value, Failure>>
  /** The value of an earlier process, asked for once, when there is none and a load fails by an outage. */
  readonly recall?: (key: Key) => Promise<Omit<CachedValue<Value>, 'stale'> | undefined>
  /** Called after every load. */
  readonly onLoaded?: (outcome: Result<Value, Failure>, tookMs: number) => void
}

/** An outcome of a load, and how many invalidations preceded the load. */
interface LoadRecord<Content> {
  readonly content: Content
  readonly at: number
  readonly generation: number
}

interface Entry<Value, Failure> {
  /** Counts invalidations. */
  generation: number
  current?: LoadRecord<Value>
  failed?: LoadRecord<Failure> | undefined
  recalling?: Promise<void>
  /** When the first of those began to wait that wait now, by the monotonic clock. */
  waitingSince?: number | undefined
  flight?:
    { readonly generation: number; readonly outcome: Promise<Result<Value, Failure>> } | undefined
}

const MAX_STALE_MS = 3_600_000
const RETRY_AFTER_MS = 2_000

export function createTtlCache<Key extends {}, Value, Failure>({
  ttlMs,
  maxStaleMs = MAX_STALE_MS,
  refreshAfterMs,
  retryAfterMs = RETRY_AFTER_MS,
  patience,
  clock,
  isOutage,
  isPartial = () => false,
  load,
  recall,
  onLoaded,
}: TtlCacheOptions<Key, Value, Failure>): TtlCache<Key, Value, Failure> {
  type KeyEntry = Entry<Value, Failure>
  const entries = createLru<Key, KeyEntry>()

  function entryOf(key: Key): KeyEntry {
    const entry = entries.get(key) ?? { generation: 0 }
    entries.set(key, entry)
    return entry
  }

  /** Not invalidated, and younger than `maxMs`. A date in the future means that the clock was set back. */
  function isRecent(
    { at, generation }: LoadRecord<unknown>,
    entry: KeyEntry,
    maxMs: number,
  ): boolean {
    const age = clock.now() - at
    return generation === entry.generation && age >= 0 && age < maxMs
  }

  /** Joins the load in flight if it began after the last invalidation; otherwise waits for it to end and starts another. */
  function loadOrJoin(key: Key, entry: KeyEntry): Promise<Result<Value, Failure>> {
    const { flight } = entry
    if (flight === undefined) return startLoad(key, entry)
    if (flight.generation === entry.generation) return flight.outcome
    const afterFlight = () => loadOrJoin(key, entry)
    return flight.outcome.then(afterFlight, afterFlight)
  }

  function startLoad(key: Key, entry: KeyEntry): Promise<Result<Value, Failure>> {
    const { generation } = entry
    const startedAt = clock.now()
    const outcome = onNobodysBehalf(() => load(key, entry.current?.content))
      .then((loaded) => {
        if (loaded.ok) entry.current = { content: loaded.value, at: startedAt, generation }
        entry.failed = loaded.ok
          ? undefined
          : { content: loaded.error, at: clock.now(), generation }
        onLoaded?.(loaded, clock.now() - startedAt)
        return loaded
      })
      .finally(() => {
        entry.flight = undefined
        entry.waitingSince = undefined
      })
    entry.flight = { generation, outcome }
    return outcome
  }

  function staleOr({ current, generation }: KeyEntry, error: Failure): CacheRead<Value, Failure> {
    if (current === undefined) return err(error)
    const isTooOld = clock.now() - current.at - ttlMs > maxStaleMs
    const isInvalidated = current.generation !== generation
    if (isTooOld || (isInvalidated && !isOutage(error))) return err(error)
    return ok({ value: current.content, loadedAt: current.at, stale: true })
  }

  async function recallInto(
    entry: KeyEntry,
    recalling: Promise<Omit<CachedValue<Value>, 'stale'> | undefined>,
  ): Promise<void> {
    const recalled = await recalling
    if (recalled === undefined) return
    const { value: content, loadedAt: at } = recalled
    entry.current ??= { content, at, generation: entry.generation - 1 }
  }

  async function recalledOr(
    key: Key,
    entry: KeyEntry,
    error: Failure,
  ): Promise<CacheRead<Value, Failure>> {
    if (recall !== undefined && entry.current === undefined && isOutage(error)) {
      entry.recalling ??= recallInto(entry, recall(key))
      await entry.recalling
    }
    return staleOr(entry, error)
  }

  async function loadAndRead(key: Key, entry: KeyEntry): Promise<CacheRead<Value, Failure>> {
    const startedAt = clock.now()
    stepAside()
    const loading = loadOrJoin(key, entry)
    const loaded = await (patience === undefined ? loading : orTooLate(loading, entry, patience))
    if (!loaded.ok) return recalledOr(key, entry, loaded.error)
    const { value } = loaded
    return ok({ value, loadedAt: entry.current?.at ?? startedAt, stale: isPartial(value) })
  }

  /** The time counts from the first who waits, so that later ones are answered at once. */
  function orTooLate(
    loading: Promise<Result<Value, Failure>>,
    entry: KeyEntry,
    { ms, tooLate }: { readonly ms: number; readonly tooLate: Failure },
  ): Promise<Result<Value, Failure>> {
    entry.waitingSince ??= performance.now()
    const leftMs = Math.max(0, ms - (performance.now() - entry.waitingSince))
    return inTime(loading, leftMs, err(tooLate))
  }

  return {
    read(key) {
      const entry = entryOf(key)
      const { current, failed, flight } = entry
      const hasJustFailed = failed !== undefined && isRecent(failed, entry, retryAfterMs)
      if (current !== undefined && isRecent(current, entry, ttlMs)) {
        const stale = isPartial(current.content)
        const isDue = stale || !isRecent(current, entry, refreshAfterMs)
        if (isDue && flight === undefined && !hasJustFailed) {
          void startLoad(key, entry).catch(() => undefined)
        }
        return ok({ value: current.content, loadedAt: current.at, stale })
      }
      if (!hasJustFailed) return loadAndRead(key, entry)
      return current === undefined && entry.recalling !== undefined
        ? recalledOr(key, entry, failed.content)
        : staleOr(entry, failed.content)
    },
    invalidate(key) {
      entryOf(key).generation++
    },
    peek(key) {
      const entry = entryOf(key)
      if (entry.current === undefined) return undefined
      const { content, at } = entry.current
      const stale = isPartial(content) || !isRecent(entry.current, entry, ttlMs)
      return { value: content, loadedAt: at, stale }
    },
  }
}
