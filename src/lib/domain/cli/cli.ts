import type { RepositoryId, Sha256 } from '../../names.ts'
import type { AssetCache, CachedAsset } from '../../ports/asset-cache.ts'
import type { Clock } from '../../ports/clock.ts'
import type { GitFailure, GitHost, Release, ReleaseAsset } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { createTtlCache } from '../../ttl-cache.ts'
import { type ChoiceFailure, chooseAsset } from './choose-asset.ts'
import { createDownloads, type DownloadEvent, type DownloadFailure } from './downloads.ts'
import { type Platform, platforms } from './platform.ts'
import { createPublishedDigests, type DigestFailure } from './published-digests.ts'
import { type CliRelease, shelve } from './shelf.ts'

const TTL_MS = 60_000
const REFRESH_AFTER_MS = 10_000
const RETRY_AFTER_MS = 2_000
const MAX_STALE_MS = 3_600_000

/** A release as it is listed: with one file per platform that it has one for. */
export interface ListedRelease extends Omit<CliRelease, 'assets'> {
  readonly assets: readonly ListedAsset[]
}

export type ListedAsset = Platform & {
  readonly filename: string
  readonly sizeBytes: number
  /** `null`: nobody says, and it was not fetched yet. */
  readonly sha256: Sha256 | null
}

/** A file to download. */
export interface Download {
  readonly version: string
  readonly filename: string
  readonly sizeBytes: number
  /** `null`: known when it is open. */
  readonly sha256: Sha256 | null
  open(): Promise<Result<CachedAsset, DownloadFailure>>
}

export type FindFailure = DigestFailure | ChoiceFailure | { readonly kind: 'release_not_found' }

export type CliFailure = FindFailure | DownloadFailure

/** The command line client, from the releases of its repository. */
export interface Cli {
  /** Newest first. */
  releases(): Promise<Result<readonly ListedRelease[], GitFailure>>
  /** Without a version, of the latest release. */
  find(platform: Platform, version?: string): Promise<Result<Download, FindFailure>>
  /** Clears away what an earlier process left behind. */
  start(): void
}

export interface CliOptions {
  readonly gitHost: Pick<GitHost, 'releases'>
  readonly cache: AssetCache
  readonly repository: RepositoryId
  /** Tags of releases are this, a hyphen and a version. */
  readonly tagPrefix: string
  /** Name of an asset with placeholders; empty for the conventions of release tools. */
  readonly assetPattern: string
  readonly clock: Clock
  readonly stopping: AbortSignal
  readonly log: (event: DownloadEvent) => void
  readonly patienceMs?: number
}

export function createCli(options: CliOptions): Cli {
  const { gitHost, cache, repository, tagPrefix, assetPattern, clock } = options
  const { releases } = gitHost
  const digests = createPublishedDigests({ releases, repository })
  const downloads = createDownloads({ ...options, releases })
  const listed = createTtlCache<'releases', readonly CliRelease[], GitFailure>({
    ttlMs: TTL_MS,
    refreshAfterMs: REFRESH_AFTER_MS,
    retryAfterMs: RETRY_AFTER_MS,
    maxStaleMs: MAX_STALE_MS,
    clock,
    isOutage: () => true,
    async load() {
      const found = orNone(await releases.list(repository))
      return found.ok ? ok(shelve(found.value, tagPrefix)) : found
    },
  })

  async function shelf(): Promise<Result<readonly CliRelease[], GitFailure>> {
    const cached = await listed.read('releases')
    return cached.ok ? ok(cached.value.value) : cached
  }

  async function digestOf(
    asset: ReleaseAsset,
    assets: readonly ReleaseAsset[],
  ): Promise<Result<Sha256 | null, DigestFailure>> {
    const published = await digests.of(asset, assets)
    return published.ok ? ok(published.value ?? downloads.computedDigest(asset)) : published
  }

  async function list(release: CliRelease): Promise<ListedRelease> {
    const assets = platforms.map(async (platform): Promise<readonly ListedAsset[]> => {
      const chosen = chooseAsset(release, platform, assetPattern)
      if (!chosen.ok) return []
      const { filename, sizeBytes } = chosen.value
      const digest = await digestOf(chosen.value, release.assets)
      return [{ ...platform, filename, sizeBytes, sha256: digest.ok ? digest.value : null }]
    })
    return { ...release, assets: (await Promise.all(assets)).flat() }
  }

  return {
    async releases() {
      const shelved = await shelf()
      if (!shelved.ok) return shelved
      return ok(await Promise.all(shelved.value.map(list)))
    },

    async find(platform, version) {
      const shelved = await shelf()
      if (!shelved.ok) return shelved
      const release = shelved.value.find((one) =>
        version === undefined ? one.latest : one.version === version,
      )
      if (release === undefined) return err({ kind: 'release_not_found' })
      const chosen = chooseAsset(release, platform, assetPattern)
      if (!chosen.ok) return chosen
      const asset = chosen.value
      const digest = await digestOf(asset, release.assets)
      if (!digest.ok) return digest
      return ok({
        version: release.version,
        filename: asset.filename,
        sizeBytes: asset.sizeBytes,
        sha256: digest.value,
        open: () => downloads.obtain(asset, digest.value),
      })
    },

    start() {
      void cache.sweep()
    },
  }
}

/** Where there is no repository for a command line client, there is no release of it. */
const orNone = (
  listed: Result<readonly Release[], GitFailure>,
): Result<readonly Release[], GitFailure> =>
  !listed.ok && listed.error.kind === 'git_not_found' ? ok([]) : listed
