import type { Sha256 } from '../names.ts'
import type { Result } from '../result.ts'

/**
 * Verified copies of release assets, by what is in them. `tests/contracts/asset-cache.ts` is the definition.
 *
 * Guarantees:
 * - what is handed out is complete and has its digest, whatever was interrupted or damaged before;
 * - together the copies, those in the making included, take no more room than was allowed: the ones that were not asked for
 *   for the longest time go first;
 * - several processes may share it.
 */
export interface AssetCache {
  /** The copy with this digest. It is not removed within the next seconds. */
  find(sha256: Sha256): Promise<CachedAsset | undefined>

  /** Takes what the stream brings, if it is what is expected. Ends the stream in any case. */
  keep(
    expected: ExpectedAsset,
    stream: ReadableStream<Uint8Array>,
    signal: AbortSignal,
  ): Promise<Result<CachedAsset, AssetCacheFailure>>

  /** Removes what dead processes left behind. */
  sweep(): Promise<void>
}

export interface ExpectedAsset {
  readonly sizeBytes: number
  /** `null`: nobody has said; the digest is that of what comes. */
  readonly sha256: Sha256 | null
}

export interface CachedAsset {
  readonly sha256: Sha256
  readonly sizeBytes: number
  /** A file, which is read when it is sent. */
  readonly content: Blob
}

export type AssetCacheFailure =
  /** The stream broke off or ended too soon. */
  | { readonly kind: 'asset_cut_off' }
  /** The stream brought next to nothing for too long. */
  | { readonly kind: 'asset_stalled' }
  /** More bytes than expected, or others. */
  | { readonly kind: 'asset_corrupt'; readonly reason: 'longer' | 'digest' }
  | { readonly kind: 'asset_cache_full' }
  /** `reason` is for the log. */
  | { readonly kind: 'asset_cache_broken'; readonly reason: string }
