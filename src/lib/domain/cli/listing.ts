import type { Sha256 } from '../../names.ts'
import type { ReleaseAsset } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import { chooseAsset } from './choose-asset.ts'
import { type Platform, platforms } from './platform.ts'
import { type DigestFailure, givenDigest, type PublishedDigests } from './published-digests.ts'
import type { CliRelease } from './shelf.ts'

/** Of how many releases files of checksums are read for the list. Of older ones they are read for a download. */
const CHECKSUMS_READ_OF_NEWEST = 10

/** A release as it is listed: with one file per platform that it has one for. */
export interface ListedRelease extends Omit<CliRelease, 'assets'> {
  readonly assets: readonly ListedAsset[]
}

export type ListedAsset = Platform & {
  readonly filename: string
  readonly sizeBytes: number
  /** `null`: nobody says, or was asked, and it was not fetched yet. */
  readonly sha256: Sha256 | null
}

interface Offer {
  readonly platform: Platform
  readonly asset: ReleaseAsset
  readonly published: Result<Sha256 | null, DigestFailure>
}

interface ListingOptions {
  readonly digests: PublishedDigests
  readonly assetPattern: string
  /** The digest that an asset turned out to have: the one thing that changes while the releases are the same. */
  readonly computedDigest: (asset: ReleaseAsset) => Sha256 | null
}

/** The list of these releases, which is worked out once and can be asked for often. */
export async function createListing(
  releases: readonly CliRelease[],
  { digests, assetPattern, computedDigest }: ListingOptions,
): Promise<() => readonly ListedRelease[]> {
  async function offers(release: CliRelease, index: number): Promise<readonly Offer[]> {
    const found = platforms.map(async (platform): Promise<readonly Offer[]> => {
      const chosen = chooseAsset(release, platform, assetPattern)
      if (!chosen.ok) return []
      const asset = chosen.value
      const isRead = index < CHECKSUMS_READ_OF_NEWEST
      const published = isRead ? await digests.of(asset, release.assets) : ok(givenDigest(asset))
      return [{ platform, asset, published }]
    })
    return (await Promise.all(found)).flat()
  }

  const listed = await Promise.all(
    releases.map(async (release, index) => ({ release, offers: await offers(release, index) })),
  )

  const shown = ({ platform, asset, published }: Offer): ListedAsset => ({
    ...platform,
    filename: asset.filename,
    sizeBytes: asset.sizeBytes,
    sha256: published.ok ? (published.value ?? computedDigest(asset)) : null,
  })
  return () => listed.map(({ release, offers }) => ({ ...release, assets: offers.map(shown) }))
}
