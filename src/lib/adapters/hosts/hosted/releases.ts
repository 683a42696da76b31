import { type Static, Type } from 'typebox'
import { type RepositoryId, Sha256 } from '../../../names.ts'
import type { GitAnswer, GitResult, Release, Releases } from '../../../ports/git-host.ts'
import { err, ok } from '../../../result.ts'
import { answerReader, Maybe } from './api/answer-reader.ts'
import { hostError, type ReadOptions } from './api/client.ts'
import type { Hosted } from './hosted.ts'
import { notFound, pathOf } from './known-repositories.ts'

/** GitHub lists at most 10,000 releases, a hundred a page. */
const PAGES_MAX = 100

const AssetItem = Type.Object({
  id: Type.Integer({ minimum: 0 }),
  name: Type.String(),
  size: Type.Integer({ minimum: 0 }),
  /** Gitea alone. */
  uuid: Type.Optional(Type.String()),
  /** GitHub alone. */
  state: Type.Optional(Type.String()),
  /** GitHub alone; older assets have none. */
  digest: Maybe(Type.String()),
})
const ReleaseItem = Type.Object({
  id: Type.Integer({ minimum: 0 }),
  tag_name: Type.String(),
  name: Maybe(Type.String()),
  body: Maybe(Type.String()),
  draft: Type.Boolean(),
  prerelease: Type.Boolean(),
  published_at: Maybe(Type.String()),
  assets: Maybe(Type.Array(AssetItem)),
})
const readReleases = answerReader('releases', Type.Array(ReleaseItem))

/** All items of a list of a repository. `path`: below that of the repository, `root`. */
export async function readAll<Item>(
  { client, known }: Pick<Hosted, 'client' | 'known'>,
  repository: RepositoryId,
  [root, path]: readonly [root: string, path: string],
  query: NonNullable<ReadOptions['query']>,
  read: (answer: { json: unknown }) => GitResult<readonly Item[]>,
): GitAnswer<readonly Item[]> {
  const pages = await client.readPages(`${root}${path}`, { query, pagesMax: PAGES_MAX })
  if (!pages.ok) return pages
  if (pages.value.kind === 'refused') {
    return err(await known.missing(repository, pages.value.answer, 'asset'))
  }
  const { truncated, items } = pages.value
  return truncated
    ? hostError(`has more than ${PAGES_MAX} pages of ${path.slice(1)}`)
    : read({ json: items })
}

/** How a host of this API lists releases and names their assets. */
export interface ReleaseApi {
  readonly query: NonNullable<ReadOptions['query']>
  readonly assetId: (asset: Static<typeof AssetItem>) => string
  /** Path at which `HostClient.openAsset` opens an asset; `null` for a text that is no id of an asset. */
  readonly placeOf: (repository: RepositoryId, assetId: string) => string | URL | null
}

/** The releases of GitHub and Gitea. Drafts are listed to those who may write. */
export const releasesBy = (hosted: Hosted, { query, assetId, placeOf }: ReleaseApi): Releases => ({
  async list(repository) {
    const complete = await hosted.known.requireComplete(repository)
    if (!complete.ok) return complete
    const root = pathOf(repository)
    const read = await readAll(hosted, repository, [root, '/releases'], query, readReleases)
    if (!read.ok) return read
    return ok(read.value.toSorted(newestFirst).map((item) => toRelease(item, assetId)))
  },
  async openAsset(repository, { id }, signal) {
    const complete = await hosted.known.requireComplete(repository)
    if (!complete.ok) return complete
    const place = placeOf(repository, id)
    return place === null ? notFound('asset') : hosted.client.openAsset(place, signal)
  },
})

/** Drafts first: they would be the newest. The times are whole seconds; ids grow. */
const newestFirst = (one: Static<typeof ReleaseItem>, other: Static<typeof ReleaseItem>): number =>
  compare(publishedAt(other) ?? Infinity, publishedAt(one) ?? Infinity) || compare(other.id, one.id)

const compare = (one: number, other: number) => (one < other ? -1 : Number(one > other))

function publishedAt({ draft, published_at }: Static<typeof ReleaseItem>): number | null {
  const time = Date.parse(published_at ?? '')
  return draft || Number.isNaN(time) ? null : time
}

function toRelease(item: Static<typeof ReleaseItem>, assetId: ReleaseApi['assetId']): Release {
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
      .map((asset) => ({
        id: assetId(asset),
        filename: asset.name,
        sizeBytes: asset.size,
        sha256: Sha256.parse(asset.digest?.replace(/^sha256:/, '')) ?? null,
      })),
  }
}
