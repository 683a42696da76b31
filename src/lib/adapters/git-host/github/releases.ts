import type { RepositoryId } from '../../../names.ts'
import type { GitFailure, Release, ReleaseAsset } from '../../../ports/git-host.ts'
import { Sha256 } from '../../../names.ts'
import { err, ok, type Result } from '../../../result.ts'
import { apiPath, hostError } from '../hosted/client.ts'
import { readReleases, type ReleaseAnswer } from './answers.ts'
import type { OpenAsset } from './assets.ts'
import type { GitHub } from './github.ts'
import { notFound, pathOf } from './known-repositories.ts'

const PER_PAGE = 100
/** GitHub itself lists at most 10,000 releases. */
const PAGES_MAX = 100
const ASSET_ID = /^[1-9]\d{0,15}$/

/** Drafts are listed to those who may write. */
export async function listReleases(
  { client, known }: GitHub,
  repository: RepositoryId,
): Promise<Result<readonly Release[], GitFailure>> {
  const complete = await known.requireComplete(repository)
  if (!complete.ok) return complete
  const pages = await client.readPages(`${pathOf(repository)}/releases`, {
    query: { per_page: PER_PAGE },
    pagesMax: PAGES_MAX,
  })
  if (!pages.ok) return pages
  const { status, items, truncated } = pages.value
  if (status !== 200) {
    const answer = { status, headers: new Headers(), json: undefined }
    return err(await known.missing(repository, answer, 'asset'))
  }
  if (truncated) return hostError(`has more than ${PAGES_MAX} pages of releases`)
  const read = readReleases({ json: items })
  return read.ok ? ok(read.value.map(toRelease).toSorted(byPublication)) : read
}

/** Drafts first: they would be the newest. Stable, because GitHub's times are whole seconds and its list is newest first. */
const byPublication = (one: Release, other: Release): number => {
  const [a, b] = [one, other].map(({ publishedAt }) => publishedAt ?? Infinity)
  return a === b ? 0 : (b ?? 0) - (a ?? 0)
}

function toRelease(release: ReleaseAnswer): Release {
  const publishedAt = Date.parse(release.published_at ?? '')
  return {
    tag: release.tag_name,
    name: release.name ?? '',
    notes: release.body ?? '',
    draft: release.draft,
    prerelease: release.prerelease,
    publishedAt: release.draft || Number.isNaN(publishedAt) ? null : publishedAt,
    assets: release.assets.flatMap((asset) =>
      // Others are still being uploaded, or their upload broke off.
      asset.state === undefined || asset.state === 'uploaded'
        ? {
            id: String(asset.id),
            filename: asset.name,
            sizeBytes: asset.size,
            sha256: digestOf(asset.digest ?? ''),
          }
        : [],
    ),
  }
}

/** Assets that are older than the digests have none. */
const digestOf = (digest: string): string | null =>
  Sha256.parse(digest.replace(/^sha256:/, '')) ?? null

export async function openAsset(
  { known }: GitHub,
  open: OpenAsset,
  repository: RepositoryId,
  { id }: ReleaseAsset,
  signal: AbortSignal,
): Promise<Result<ReadableStream<Uint8Array>, GitFailure>> {
  const complete = await known.requireComplete(repository)
  if (!complete.ok) return complete
  if (!ASSET_ID.test(id)) return notFound('asset')
  return open(`${pathOf(repository)}${apiPath`/releases/assets/${id}`}`, signal)
}
