import type { Release, ReleaseAsset } from '../../ports/git-host.ts'
import { newestFirst, type Version, versionOfTag } from './version.ts'
import type { Sha256 } from '../../names.ts'
import { ok, type Result } from '../../result.ts'
import { chooseAsset } from './choose-asset.ts'
import { type Platform, platforms } from './platform.ts'
import { type DigestFailure, givenDigest, type PublishedDigests } from './published-digests.ts'

/** A published version of the command line client. */
export interface CliRelease {
  readonly version: string
  readonly tag: string
  readonly name: string
  /** Whether this is the highest version that is not a pre-release. */
  readonly latest: boolean
  readonly prerelease: boolean
  /** Milliseconds since the Unix epoch. */
  readonly publishedAt: number | null
  readonly notes: string
  readonly assets: readonly ReleaseAsset[]
}

const PUBLISHED_MAX = Date.UTC(10_000, 0) - 1

/** Whether RFC 3339, with its four-digit year, can express the time. */
const isExpressible = (publishedAt: number | null): boolean =>
  publishedAt === null || (publishedAt >= 0 && publishedAt <= PUBLISHED_MAX)

/**
 * The releases with a tag of the prefix and a version, newest version first, without drafts and impossible dates. Of two
 * tags of one version the later publication counts. A release is a pre-release by its host or by its version.
 */
export function shelve(releases: readonly Release[], prefix: string): readonly CliRelease[] {
  const found = releases.flatMap((release) => {
    const isPublished = !release.draft && isExpressible(release.publishedAt)
    const version = isPublished ? versionOfTag(release.tag, prefix) : undefined
    return version === undefined ? [] : [{ release, version }]
  })
  const sorted = found.toSorted(
    (one, other) =>
      newestFirst(one.version, other.version) ||
      (other.release.publishedAt ?? 0) - (one.release.publishedAt ?? 0),
  )
  const seen = new Set<string>()
  const unique = sorted.filter(({ version: { text } }) => seen.size !== seen.add(text).size)
  const isPrerelease = (one: { readonly release: Release; readonly version: Version }) =>
    one.release.prerelease || one.version.prerelease
  const latest = unique.find((one) => !isPrerelease(one))
  return unique.map((one) => {
    const { tag, name, notes, publishedAt, assets } = one.release
    return {
      version: one.version.text,
      tag,
      name,
      latest: one === latest,
      prerelease: isPrerelease(one),
      publishedAt,
      notes,
      assets,
    }
  })
}

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

/**
 * The list of these releases, computed once and called often. `computedDigest` of fetched assets alone changes while the releases stay the
 * same.
 */
export async function createListing(
  releases: readonly CliRelease[],
  digests: PublishedDigests,
  assetPattern: string,
  computedDigest: (asset: ReleaseAsset) => Sha256 | null,
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
