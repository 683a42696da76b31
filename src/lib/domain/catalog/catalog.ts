import type { Clock } from '../../ports/clock.ts'
import type { BranchName } from '../../names.ts'
import { err, ok, type Result } from '../../result.ts'
import { type CatalogSource, isPending, loadSnapshot } from './load.ts'
import { isAway, isOutage, type LoadFailure } from './load-failure.ts'
import { type CacheRead, type CachedValue, createTtlCache } from '../../concurrency/ttl-cache.ts'
import { createRateLimitWindow } from './rate-limit-window.ts'
import { buildSnapshot, type Snapshot } from './snapshot.ts'

/** Age of a fresh snapshot from which the branch's head is compared in the background. */
const HEAD_CHECK_AFTER_MS = 10_000
/** Nobody waits longer for a load: the last snapshot is served meanwhile. */
const PATIENCE_MS = 10_000

/** One catalog, one value in the cache. */
const KEY = 'catalog'

export interface CatalogOptions extends CatalogSource {
  readonly ttlSeconds: number
  readonly maxStaleSeconds: number
  readonly clock: Clock
  readonly patienceMs?: number
  /** Called after every load that asked the git host. */
  readonly onLoaded?: (outcome: Result<Snapshot, LoadFailure>, tookMs: number) => void
}

export type CatalogRead = CacheRead<Snapshot, LoadFailure>

export interface CatalogHead {
  readonly branch: BranchName
  readonly snapshot: Snapshot
}

/** The catalog of one gitops repository, in memory: `docs/decisions/catalog-freshness.md`. */
export interface Catalog {
  /** Synchronous when the snapshot is fresh; otherwise after a load. */
  read(): CatalogRead | Promise<CatalogRead>
  /** The snapshot at the head that the default branch has now, or a newer one. Only entities of pending files may be older. */
  atHead(): Promise<Result<CatalogHead, LoadFailure>>
  /** Every later read has a snapshot whose load began after this call. */
  invalidate(): void
  /**
   * `loading` until the first load has succeeded; `unreadable` when the last load failed, and the git host is not merely away: it
   * names a commit or a folder that it does not give.
   */
  state(): 'loading' | 'readable' | 'unreadable'
  /** The current snapshot, without loading. */
  peek(): CachedValue<Snapshot> | undefined
}

export function createCatalog({
  ttlSeconds,
  maxStaleSeconds,
  clock,
  patienceMs = PATIENCE_MS,
  onLoaded,
  ...source
}: CatalogOptions): Catalog {
  const limit = createRateLimitWindow(clock)
  let isReadable = true
  let hasLoaded = false

  /** Asks the git host, unless it has said that it allows no calls yet. */
  async function ask<Value, Failure extends LoadFailure>(
    call: () => Promise<Result<Value, Failure>>,
  ): Promise<Result<Value, LoadFailure>> {
    const refusal = limit.refusal()
    if (refusal !== undefined) return err(refusal)
    const answer = await call()
    if (!answer.ok) limit.observe(answer.error)
    return answer
  }

  const cache = createTtlCache<typeof KEY, Snapshot, LoadFailure>({
    ttlMs: ttlSeconds * 1_000,
    maxStaleMs: maxStaleSeconds * 1_000,
    refreshAfterMs: HEAD_CHECK_AFTER_MS,
    patience: { ms: patienceMs, tooLate: { kind: 'catalog_loading' } },
    clock,
    isOutage,
    isPartial: isPending,
    load: (_, previous) => ask(() => loadSnapshot(source, previous)),
    async recall() {
      const kept = await source.kept.restore()
      // A time in the future says nothing of the age.
      if (kept === undefined || kept.loadedAt > clock.now()) return undefined
      const value = await buildSnapshot(kept.source, kept.parsed, undefined)
      return { value, loadedAt: kept.loadedAt }
    },
    onLoaded: (outcome, tookMs) => {
      if (outcome.ok) {
        hasLoaded = true
        source.kept.confirm(clock.now() - tookMs)
      }
      isReadable = outcome.ok || isAway(outcome.error)
      if (outcome.ok || !limit.isOwnRefusal(outcome.error)) onLoaded?.(outcome, tookMs)
      // The read begins the load that goes on, without anybody who waits for it.
      if (outcome.ok && isPending(outcome.value)) setImmediate(() => void cache.read(KEY))
    },
  })
  return {
    read: () => cache.read(KEY),
    async atHead() {
      const head = await ask(() => source.gitHost.head(source.repository))
      if (!head.ok) return head
      let read = await cache.read(KEY)
      if (read.ok && read.value.value.commit !== head.value.commit) {
        cache.invalidate(KEY)
        read = await cache.read(KEY)
      }
      if (!read.ok) return read
      const { value: snapshot, stale } = read.value
      const isAtHead = snapshot.commit === head.value.commit
      if (stale && !isAtHead) return err({ kind: 'git_host_unreachable' })
      return ok({ branch: head.value.branch, snapshot })
    },
    invalidate: () => cache.invalidate(KEY),
    state() {
      if (!isReadable) return 'unreadable'
      return hasLoaded ? 'readable' : 'loading'
    },
    peek: () => cache.peek(KEY),
  }
}
