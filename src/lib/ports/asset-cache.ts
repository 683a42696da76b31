import type { Sha256 } from '../names.ts'
import type { Result } from '../result.ts'

/**
 * Verified copies of release assets, by the SHA-256 of their content. `tests/contracts/asset-cache.ts` is the definition.
 *
 * Guarantees:
 * - a copy that is handed out is complete and has its digest, whatever was interrupted or damaged before;
 * - all copies together, unfinished ones included, stay within the allowed size: the least recently used go first;
 * - several processes may share it.
 */
export interface AssetCache {
  /** The copy with this digest. It is not removed within the next seconds. */
  find(sha256: Sha256): Promise<CachedAsset | undefined>

  /** Stores the stream's content if it is as expected. Ends the stream in any case. */
  keep(
    expected: ExpectedAsset,
    stream: ReadableStream<Uint8Array>,
    signal: AbortSignal,
  ): Promise<Result<CachedAsset, AssetCacheFailure>>

  /** Removes unfinished files of dead processes. */
  sweep(): Promise<void>
}

export interface ExpectedAsset {
  readonly sizeBytes: number
  /** `null`: unknown; any digest is accepted. */
  readonly sha256: Sha256 | null
}

export interface CachedAsset {
  readonly sha256: Sha256
  readonly sizeBytes: number
  /** A file, read when it is sent. */
  readonly content: Blob
}

export type AssetCacheFailure =
  /** The stream broke off or ended too soon. */
  | { readonly kind: 'asset_cut_off' }
  /** The stream brought next to nothing for too long. */
  | { readonly kind: 'asset_stalled' }
  /** More bytes than expected, or another digest. */
  | { readonly kind: 'asset_corrupt'; readonly reason: 'longer' | 'digest' }
  | { readonly kind: 'asset_cache_full' }
  /** `reason` is for the log. */
  | { readonly kind: 'asset_cache_broken'; readonly reason: string }
