import type { Release, ReleaseAsset } from '../../ports/git-host.ts'
import { newestFirst, type Version, versionOfTag } from './version.ts'

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
