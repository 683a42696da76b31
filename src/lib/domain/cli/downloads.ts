import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { RepositoryId, Sha256 } from '../../names.ts'
import type { AssetCache, AssetCacheFailure, CachedAsset } from '../../ports/asset-cache.ts'
import type { Clock } from '../../ports/clock.ts'
import type { GitFailure, ReleaseAsset, Releases } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { createTurnstile } from '../../concurrency/turnstile.ts'
import { createAttempts } from './attempts.ts'

/** Proxies give up after a minute without an answer. */
const PATIENCE_MS = 50_000
/** A file that was just wrong is not fetched again for everybody who asks. */
const RETRY_AFTER_MS = 5_000
const FETCHES_AT_ONCE = 4
const DIGESTS_KEPT = 1_000

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
  const attempt = createAttempts<CachedAsset, FetchFailure>({ retryAfterMs: RETRY_AFTER_MS, clock })
  /** Of assets of which nobody says the digest: what it was when they were fetched. */
  const computed = new LRUCache<string, Sha256>({ max: DIGESTS_KEPT })
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
      log({ kind: 'fetch_failed', filename, failure: fetched.error })
    }
    return fetched
  }

  async function findOrFetch(asset: ReleaseAsset, sha256: Sha256 | null): Promise<Fetched> {
    const kept = await find(sha256)
    if (kept !== undefined) return ok(kept)
    // Who demands a digest does not join a fetch that takes what comes.
    const key = `${asset.id} ${sha256 ?? 'any'}`
    return attempt(key, () => inTurn(() => fetchAndTell(asset, sha256)))
  }

  return {
    /** The digest that an asset turned out to have. */
    computedDigest: (asset: ReleaseAsset): Sha256 | null => computed.get(asset.id) ?? null,

    async obtain(
      asset: ReleaseAsset,
      sha256: Sha256 | null,
    ): Promise<Result<CachedAsset, DownloadFailure>> {
      const enough = new AbortController()
      const tooLong = sleep(patienceMs, err({ kind: 'asset_pending' } as const), {
        signal: enough.signal,
      })
      try {
        return await Promise.race([findOrFetch(asset, sha256), tooLong])
      } finally {
        tooLong.catch(() => {})
        enough.abort()
      }
    },
  }
}
