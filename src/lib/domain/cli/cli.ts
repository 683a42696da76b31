import type { RepositoryId, Sha256 } from '../../names.ts'
import type { AssetCache, CachedAsset } from '../../ports/asset-cache.ts'
import type { Clock } from '../../ports/clock.ts'
import type { GitFailure, GitHost, Release } from '../../ports/git-host.ts'
import { lazily } from '../../concurrency/lazily.ts'
import { err, ok, type Result } from '../../result.ts'
import { createTtlCache } from '../../concurrency/ttl-cache.ts'
import { type ChoiceFailure, chooseAsset } from './choose-asset.ts'
import { createDownloads, type DownloadEvent, type DownloadFailure } from './downloads.ts'
import { createListing, type ListedRelease, type CliRelease, shelve } from './shelf.ts'
import type { Platform } from './platform.ts'
import { createPublishedDigests, type DigestFailure } from './published-digests.ts'

const TTL_MS = 60_000
const REFRESH_AFTER_MS = 10_000

export interface Download {
  readonly version: string
  readonly filename: string
  readonly sizeBytes: number
  /** `null`: known once it is open. */
  readonly sha256: Sha256 | null
  open(): Promise<Result<CachedAsset, DownloadFailure>>
}

export type FindFailure = DigestFailure | ChoiceFailure | { readonly kind: 'release_not_found' }

export type CliFailure = FindFailure | DownloadFailure

export type CliEvent =
  | DownloadEvent
  /** Refused: the digest that the release states cannot be used. */
  | { readonly kind: 'digest_unusable'; readonly filename: string; readonly failure: DigestFailure }

export type Cli = ReturnType<typeof createCli>

export interface CliOptions {
  readonly gitHost: Pick<GitHost, 'releases'>
  readonly cache: AssetCache
  readonly repository: RepositoryId
  /** A release's tag is `<prefix>-<version>`. */
  readonly tagPrefix: string
  /** Name of an asset with placeholders; empty for the conventions of release tools. */
  readonly assetPattern: string
  readonly clock: Clock
  readonly stopping: AbortSignal
  readonly log: (event: CliEvent) => void
  readonly patienceMs?: number
}

interface Shelf {
  readonly releases: readonly CliRelease[]
  readonly listing: () => ReturnType<typeof createListing>
}

/** Releases of the command line client, from its repository. */
export function createCli(options: CliOptions) {
  const { gitHost, cache, repository, tagPrefix, assetPattern, clock, log } = options
  const { releases } = gitHost
  const digests = createPublishedDigests(releases, repository, clock)
  const downloads = createDownloads({ ...options, releases })
  const { computedDigest } = downloads
  const shelves = createTtlCache<'releases', Shelf, GitFailure>({
    ttlMs: TTL_MS,
    refreshAfterMs: REFRESH_AFTER_MS,
    clock,
    isOutage: () => true,
    async load() {
      const found = emptyIfMissing(await releases.list(repository))
      return found.ok ? ok(shelfOf(shelve(found.value, tagPrefix))) : found
    },
  })

  const shelfOf = (shelved: readonly CliRelease[]): Shelf => ({
    releases: shelved,
    listing: lazily(() => createListing(shelved, digests, assetPattern, computedDigest)),
  })

  async function shelf(): Promise<Result<Shelf, GitFailure>> {
    const cached = await shelves.read('releases')
    return cached.ok ? ok(cached.value.value) : cached
  }

  return {
    /** Newest first. */
    async releases(): Promise<Result<readonly ListedRelease[], GitFailure>> {
      const shelved = await shelf()
      if (!shelved.ok) return shelved
      const list = await shelved.value.listing()
      return ok(list())
    },

    /** By default of the latest release. */
    async find(platform: Platform, version?: string): Promise<Result<Download, FindFailure>> {
      const shelved = await shelf()
      if (!shelved.ok) return shelved
      const release = shelved.value.releases.find((one) =>
        version === undefined ? one.latest : one.version === version,
      )
      if (release === undefined) return err({ kind: 'release_not_found' })
      const chosen = chooseAsset(release, platform, assetPattern)
      if (!chosen.ok) return chosen
      const asset = chosen.value
      const { filename, sizeBytes } = asset
      const published = await digests.of(asset, release.assets)
      if (!published.ok) {
        log({ kind: 'digest_unusable', filename, failure: published.error })
        return published
      }
      const sha256 = published.value ?? computedDigest(asset)
      return ok({
        version: release.version,
        filename,
        sizeBytes,
        sha256,
        open: () => downloads.obtain(asset, sha256),
      })
    },

    /** Removes unfinished files of an earlier process. */
    start(): void {
      void cache.sweep()
    },
  }
}

/** A missing repository has no releases: its name has a default. */
const emptyIfMissing = (
  listed: Result<readonly Release[], GitFailure>,
): Result<readonly Release[], GitFailure> =>
  !listed.ok && listed.error.kind === 'git_not_found' ? ok([]) : listed
