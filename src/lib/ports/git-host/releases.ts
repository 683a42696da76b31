import type { RepositoryId } from '../../names.ts'
import type { GitAnswer } from './failure.ts'

/** Releases and their assets, apart because few callers of a git host need them. */
export interface Releases {
  /** Every release, drafts and pre-releases included, newest publication first. */
  list(repository: RepositoryId): GitAnswer<readonly Release[]>
  /**
   * The bytes of an asset. Ends with an error when the upstream breaks off; `signal` stops the upstream. The reader owns
   * each chunk. A redirect to another origin gets no credentials.
   */
  openAsset(
    repository: RepositoryId,
    asset: ReleaseAsset,
    signal: AbortSignal,
  ): GitAnswer<ReadableStream<Uint8Array>>
}

export interface Release {
  readonly tag: string
  readonly name: string
  readonly notes: string
  readonly draft: boolean
  readonly prerelease: boolean
  /** Milliseconds since the Unix epoch; `null` for a draft. */
  readonly publishedAt: number | null
  readonly assets: readonly ReleaseAsset[]
}

export interface ReleaseAsset {
  /** Opaque id of the host. */
  readonly id: string
  readonly filename: string
  readonly sizeBytes: number
  /** Lower-case hex; `null`: unknown to the host. */
  readonly sha256: string | null
}
