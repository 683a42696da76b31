import { createLru } from '../../concurrency/lru.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RepositoryId, Sha256 } from '../../names.ts'
import type { AssetCache, AssetCacheFailure, CachedAsset } from '../../ports/asset-cache.ts'
import type { Clock } from '../../ports/clock.ts'
import type { GitFailure, ReleaseAsset, Releases } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { createFair } from '../../concurrency/fair.ts'
import { createAttempts } from './attempts.ts'

/** Proxies give up after a minute without an answer. */
const PATIENCE_MS = 50_000
const RETRY_AFTER_MS = 5_000
const FETCHES_AT_ONCE = 4
const DIGESTS_KEPT = 1_000

export type DownloadFailure =
  | GitFailure
  | AssetCacheFailure
  /** The fetch goes on in the background. */
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
  /** Aborts every fetch. */
  readonly stopping: AbortSignal
  readonly log: (event: DownloadEvent) => void
  readonly patienceMs?: number
}

type FetchOutcome = Result<CachedAsset, FetchFailure>

/**
 * Assets by way of the cache, complete and verified before they are handed out. One fetch per asset, however many callers
 * wait; it goes on when they leave, so that their next attempt finds it.
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
  const attempt = createAttempts<CachedAsset, FetchFailure>(RETRY_AFTER_MS, clock)
  /** By asset id, of fetched assets without a published digest. */
  const computed = createLru<string, Sha256>(DIGESTS_KEPT)
  const { inTurn } = createFair({ queue: 'downloads', permits: FETCHES_AT_ONCE, isElsewhere: true })

  async function fetch(asset: ReleaseAsset, sha256: Sha256 | null): Promise<FetchOutcome> {
    const { id, filename, sizeBytes } = asset
    const stream = await releases.openAsset(repository, asset, stopping)
    const kept = stream.ok
      ? await cache.keep({ sizeBytes, sha256 }, stream.value, stopping)
      : stream
    if (kept.ok) computed.set(id, kept.value.sha256)
    log(
      kept.ok
        ? { kind: 'fetched', filename }
        : { kind: 'fetch_failed', filename, failure: kept.error },
    )
    return kept
  }

  const findOr = async (
    sha256: Sha256 | null,
    otherwise: () => Promise<FetchOutcome>,
  ): Promise<FetchOutcome> => {
    const cached = sha256 === null ? undefined : await cache.find(sha256)
    return cached === undefined ? otherwise() : ok(cached)
  }

  const findOrFetch = (asset: ReleaseAsset, sha256: Sha256 | null): Promise<FetchOutcome> =>
    findOr(sha256, () =>
      // A caller that demands a digest does not join a fetch that accepts any.
      attempt(`${asset.id} ${sha256 ?? 'any'}`, () =>
        // While the fetch waited for its turn, another release may have brought the same file.
        inTurn(() => findOr(sha256, () => fetch(asset, sha256))),
      ),
    )

  return {
    /** The digest computed at the fetch of an asset without a published one. */
    computedDigest: (asset: ReleaseAsset): Sha256 | null => computed.get(asset.id) ?? null,

    async obtain(
      asset: ReleaseAsset,
      sha256: Sha256 | null,
    ): Promise<Result<CachedAsset, DownloadFailure>> {
      const settled = new AbortController()
      const tooLong = sleep(patienceMs, err({ kind: 'asset_pending' } as const), {
        signal: settled.signal,
      })
      try {
        return await Promise.race([findOrFetch(asset, sha256), tooLong])
      } finally {
        tooLong.catch(() => {})
        settled.abort()
      }
    },
  }
}
