import { type Static, Type } from 'typebox'
import { type RepositoryId, Sha256 } from '../../../names.ts'
import type { GitFailure, Release } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { answerReader, Maybe } from './api/answer-reader.ts'
import { type HostClient, hostError, type ReadOptions } from './api/client.ts'
import { type KnownRepositories, pathOf } from './known-repositories.ts'

/** GitHub lists at most 10,000 releases, a hundred a page. */
const PAGES_MAX = 100

const ReleaseItem = Type.Object({
  id: Type.Integer({ minimum: 0 }),
  tag_name: Type.String(),
  name: Maybe(Type.String()),
  body: Maybe(Type.String()),
  draft: Type.Boolean(),
  prerelease: Type.Boolean(),
  published_at: Maybe(Type.String()),
  assets: Maybe(
    Type.Array(
      Type.Object({
        id: Type.Integer({ minimum: 0 }),
        name: Type.String(),
        size: Type.Integer({ minimum: 0 }),
        /** GitHub alone. */
        state: Type.Optional(Type.String()),
        /** GitHub alone; older assets have none. */
        digest: Maybe(Type.String()),
      }),
    ),
  ),
})
const readReleases = answerReader('releases', Type.Array(ReleaseItem))

export interface ReleaseMeans {
  readonly client: Pick<HostClient, 'readPages'>
  readonly known: KnownRepositories
  readonly query: NonNullable<ReadOptions['query']>
  /** Id by which the host finds an asset again. */
  readonly assetId: (releaseId: number, assetId: number) => string
}

/** Drafts are listed to those who may write. */
export async function listReleases(
  { client, known, query, assetId }: ReleaseMeans,
  repository: RepositoryId,
): Promise<Result<readonly Release[], GitFailure>> {
  const complete = await known.requireComplete(repository)
  if (!complete.ok) return complete
  const path = `${pathOf(repository)}/releases`
  const pages = await client.readPages(path, { query, pagesMax: PAGES_MAX })
  if (!pages.ok) return pages
  if (pages.value.kind === 'refused') {
    return err(await known.missing(repository, pages.value.answer, 'asset'))
  }
  if (pages.value.truncated) return hostError(`has more than ${PAGES_MAX} pages of releases`)
  const read = readReleases({ json: pages.value.items })
  if (!read.ok) return read
  return ok(read.value.toSorted(newestFirst).map((item) => toRelease(item, assetId)))
}

/** Drafts first: they would be the newest. The times are whole seconds; ids grow. */
const newestFirst = (one: Static<typeof ReleaseItem>, other: Static<typeof ReleaseItem>): number =>
  compare(publishedAt(other) ?? Infinity, publishedAt(one) ?? Infinity) || compare(other.id, one.id)

const compare = (one: number, other: number) => (one < other ? -1 : Number(one > other))

function publishedAt({ draft, published_at }: Static<typeof ReleaseItem>): number | null {
  const time = Date.parse(published_at ?? '')
  return draft || Number.isNaN(time) ? null : time
}

function toRelease(item: Static<typeof ReleaseItem>, assetId: ReleaseMeans['assetId']): Release {
  return {
    tag: item.tag_name,
    name: item.name ?? '',
    notes: item.body ?? '',
    draft: item.draft,
    prerelease: item.prerelease,
    publishedAt: publishedAt(item),
    assets: (item.assets ?? [])
      // Others are still being uploaded, or their upload broke off.
      .filter(({ state = 'uploaded' }) => state === 'uploaded')
      .map(({ id, name, size, digest }) => ({
        id: assetId(item.id, id),
        filename: name,
        sizeBytes: size,
        sha256: Sha256.parse(digest?.replace(/^sha256:/, '')) ?? null,
      })),
  }
}
