import { setTimeout as sleep } from 'node:timers/promises'
import type { RepositoryId, Sha256 } from '../../names.ts'
import type { AssetCache, AssetCacheFailure, CachedAsset } from '../../ports/asset-cache.ts'
import type { Clock } from '../../ports/clock.ts'
import type { GitFailure, ReleaseAsset, Releases } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { createTurnstile } from '../../turnstile.ts'

/** Proxies give up after a minute without an answer. */
const PATIENCE_MS = 50_000
/** A file that was just wrong is not fetched again for everybody who asks. */
const RETRY_AFTER_MS = 5_000
const FETCHES_AT_ONCE = 4
const OUTCOMES_KEPT = 1_000

export type DownloadFailure =
  | GitFailure
  | AssetCacheFailure
  /** It is still being fetched, and goes on. */
  | { readonly kind: 'asset_pending' }

export type FetchFailure = Exclude<DownloadFailure, { readonly kind: 'asset_pending' }>

export type DownloadEvent =
  | { readonly kind: 'fetched'; readonly filename: string }
  | { readonly kind: 'fetch_failed'; readonly filename: string; readonly failure: FetchFailure }

export interface DownloadsOptions {
  readonly releases: Pick<Releases, 'openAsset'>
  readonly repository: RepositoryId
  readonly cache: AssetCache
  readonly clock: Clock
  /** Ends every fetch. */
  readonly stopping: AbortSignal
  readonly log: (event: DownloadEvent) => void
  readonly patienceMs?: number
}

type Fetched = Result<CachedAsset, FetchFailure>

/**
 * Assets by way of the cache: what is handed out was complete and verified before. One fetch per asset, however many wait for
 * it; it goes on when they leave, so that who comes again finds it.
 */
export function createDownloads({
  releases,
  repository,
  cache,
  clock,
  stopping,
  log,
  patienceMs = PATIENCE_MS,
}: DownloadsOptions) {
  const going = new Map<string, Promise<Fetched>>()
  const failed = createBoundedMap<{ readonly fetched: Fetched; readonly at: number }>()
  /** Of assets of which nobody says the digest: what it was when they were fetched. */
  const computed = createBoundedMap<Sha256>()
  const inTurn = createTurnstile(FETCHES_AT_ONCE)

  const find = async (sha256: Sha256 | null): Promise<CachedAsset | undefined> =>
    sha256 === null ? undefined : cache.find(sha256)

  async function fetch(asset: ReleaseAsset, sha256: Sha256 | null): Promise<Fetched> {
    const opened = await releases.openAsset(repository, asset, stopping)
    if (!opened.ok) return opened
    return cache.keep({ sizeBytes: asset.sizeBytes, sha256 }, opened.value, stopping)
  }

  async function fetchAndTell(asset: ReleaseAsset, sha256: Sha256 | null): Promise<Fetched> {
    // It may have come while we waited for our turn: releases can have files in common.
    const kept = await find(sha256)
    if (kept !== undefined) return ok(kept)
    const fetched = await fetch(asset, sha256)
    const { id, filename } = asset
    if (fetched.ok) {
      computed.set(id, fetched.value.sha256)
      log({ kind: 'fetched', filename })
    } else {
      failed.set(id, { fetched, at: clock.now() })
      log({ kind: 'fetch_failed', filename, failure: fetched.error })
    }
    return fetched
  }

  function fetchOnce(asset: ReleaseAsset, sha256: Sha256 | null): Promise<Fetched> {
    const { id } = asset
    const joined = going.get(id)
    if (joined !== undefined) return joined
    const failure = failed.get(id)
    if (failure !== undefined && isRecent(failure.at, clock.now())) {
      return Promise.resolve(failure.fetched)
    }
    failed.delete(id)
    const started = inTurn(() => fetchAndTell(asset, sha256)).finally(() => going.delete(id))
    going.set(id, started)
    return started
  }

  return {
    /** The digest that an asset turned out to have. */
    computedDigest: (asset: ReleaseAsset): Sha256 | null => computed.get(asset.id) ?? null,

    async obtain(
      asset: ReleaseAsset,
      sha256: Sha256 | null,
    ): Promise<Result<CachedAsset, DownloadFailure>> {
      const kept = await find(sha256)
      if (kept !== undefined) return ok(kept)
      const enough = new AbortController()
      const tooLong = sleep(patienceMs, err({ kind: 'asset_pending' } as const), {
        signal: enough.signal,
      })
      try {
        return await Promise.race([fetchOnce(asset, sha256), tooLong])
      } finally {
        tooLong.catch(() => {})
        enough.abort()
      }
    },
  }
}

const isRecent = (at: number, now: number): boolean => now >= at && now - at < RETRY_AFTER_MS

/** Forgets all when it has too many: what it holds only saves work. */
function createBoundedMap<Value>() {
  const values = new Map<string, Value>()
  return {
    get: (key: string) => values.get(key),
    delete: (key: string) => values.delete(key),
    set(key: string, value: Value) {
      if (values.size >= OUTCOMES_KEPT) values.clear()
      values.set(key, value)
    },
  }
}
