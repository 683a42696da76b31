import type { Sha256 } from '../../names.ts'
import type { ReleaseAsset } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import { chooseAsset } from './choose-asset.ts'
import { type Platform, platforms } from './platform.ts'
import { type DigestFailure, givenDigest, type PublishedDigests } from './published-digests.ts'
import type { CliRelease } from './shelf.ts'

/** Newest releases whose checksum files the listing reads. Those of older releases are read at their download. */
const RELEASES_WITH_CHECKSUMS = 10

/** A release with at most one file per platform. */
export interface ListedRelease extends Omit<CliRelease, 'assets'> {
  readonly assets: readonly ListedAsset[]
}

export type ListedAsset = Platform & {
  readonly filename: string
  readonly sizeBytes: number
  /** `null`: not stated by the release, or not read, and not fetched yet. */
  readonly sha256: Sha256 | null
}

interface PlatformFile {
  readonly platform: Platform
  readonly asset: ReleaseAsset
  readonly published: Result<Sha256 | null, DigestFailure>
}

interface ListingOptions {
  readonly digests: PublishedDigests
  readonly assetPattern: string
  /** The digest of a fetched asset: the only part that changes while the releases stay the same. */
  readonly computedDigest: (asset: ReleaseAsset) => Sha256 | null
}

/** The list of these releases, computed once and called often. */
export async function createListing(
  releases: readonly CliRelease[],
  { digests, assetPattern, computedDigest }: ListingOptions,
): Promise<() => readonly ListedRelease[]> {
  async function filesOf(release: CliRelease, index: number): Promise<readonly PlatformFile[]> {
    const files = platforms.map(async (platform): Promise<readonly PlatformFile[]> => {
      const chosen = chooseAsset(release, platform, assetPattern)
      if (!chosen.ok) return []
      const asset = chosen.value
      const isRead = index < RELEASES_WITH_CHECKSUMS
      const published = isRead ? await digests.of(asset, release.assets) : ok(givenDigest(asset))
      return [{ platform, asset, published }]
    })
    return (await Promise.all(files)).flat()
  }

  const listed = await Promise.all(
    releases.map(async (release, index) => ({ release, files: await filesOf(release, index) })),
  )

  const toAsset = ({ platform, asset, published }: PlatformFile): ListedAsset => ({
    ...platform,
    filename: asset.filename,
    sizeBytes: asset.sizeBytes,
    sha256: published.ok ? (published.value ?? computedDigest(asset)) : null,
  })
  return () => listed.map(({ release, files }) => ({ ...release, assets: files.map(toAsset) }))
}
