import { Type, type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { RepositoryId } from '../../../names.ts'
import type { GitFailure, Release, ReleaseAsset, Releases } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { Nullable } from '../../../schema/nullable.ts'
import { openAssetOverHttp } from '../asset-over-http.ts'
import { apiPath, hostError, refusalOf, type HostClient } from '../hosted/client.ts'
import { mayBeStorage } from '../hosted/storage-url.ts'
import type { Facts } from './facts.ts'

const RELEASES_PER_PAGE = 50
const PAGES_MAX = 100
/** Ids of an asset: of its release, and its own. */
const ASSET_ID = /^(\d{1,15})\/(\d{1,15})$/

const Attachment = Type.Object({
  id: Type.Integer({ minimum: 0 }),
  name: Type.String(),
  size: Type.Integer({ minimum: 0 }),
  browser_download_url: Type.String(),
})
const ReleaseItem = Type.Object({
  id: Type.Integer({ minimum: 0 }),
  tag_name: Type.String(),
  name: Type.Optional(Nullable(Type.String())),
  body: Type.Optional(Nullable(Type.String())),
  draft: Type.Boolean(),
  prerelease: Type.Boolean(),
  published_at: Type.Optional(Nullable(Type.String())),
  assets: Type.Optional(Nullable(Type.Array(Attachment))),
})
const isRelease = Compile(ReleaseItem)
const isAttachment = Compile(Attachment)

export interface ReleaseMeans {
  readonly client: Pick<HostClient, 'read' | 'readPages'>
  readonly facts: Pick<Facts, 'read' | 'missing'>
  /** Where Portico reaches the host. Gitea's own links begin with its `ROOT_URL`, which may be another. */
  readonly url: URL
  readonly authorization: (signal: AbortSignal) => Promise<Result<string, GitFailure>>
  readonly authority: string | null
}

export function createReleases({
  client,
  facts,
  url,
  authorization,
  authority,
}: ReleaseMeans): Releases {
  return {
    async list(repository) {
      const complete = await facts.read(repository)
      if (!complete.ok) return complete
      const { owner, name } = repository
      const pages = await client.readPages(apiPath`/repos/${owner}/${name}/releases`, {
        query: { limit: RELEASES_PER_PAGE },
        pagesMax: PAGES_MAX,
      })
      if (!pages.ok) return pages
      const { status, items, truncated } = pages.value
      if (status === 404) return facts.missing(repository, 'asset')
      if (status !== 200) return hostError(`the list of releases was answered with ${status}`)
      if (truncated) return hostError(`there are more than ${PAGES_MAX} pages of releases`)
      const found: Static<typeof ReleaseItem>[] = []
      for (const item of items) {
        if (!isRelease.Check(item)) return hostError('a release has unexpected members')
        found.push(item)
      }
      return ok(found.toSorted(newestFirst).map(toRelease))
    },

    async openAsset(repository, asset, signal) {
      const found = await locate(repository, asset)
      if (!found.ok) return found
      const credentials = await authorization(signal)
      if (!credentials.ok) return credentials
      const isOwn = found.value.origin === url.origin
      const request = {
        url: found.value,
        headers: isOwn ? { authorization: credentials.value } : {},
        mayLeadTo: (to: URL) => mayBeStorage(url, to),
        ...(authority !== null && isOwn && { authority }),
      }
      return openAssetOverHttp(request, signal)
    },
  }

  /** The URL of an asset; below `url` when the host itself serves it. */
  async function locate(
    repository: RepositoryId,
    { id }: ReleaseAsset,
  ): Promise<Result<URL, GitFailure>> {
    const complete = await facts.read(repository)
    if (!complete.ok) return complete
    const [, release, attachment] = ASSET_ID.exec(id) ?? []
    if (release === undefined || attachment === undefined) return err(NO_ASSET)
    const { owner, name } = repository
    const path = apiPath`/repos/${owner}/${name}/releases/${release}/assets/${attachment}`
    const answer = await client.read(path)
    if (!answer.ok) return answer
    const { status, json } = answer.value
    if (status === 404) return err(NO_ASSET)
    if (status !== 200) {
      return err(
        refusalOf(answer.value, {
          repository: `${owner}/${name}`,
          right: 'releases: read',
        }),
      )
    }
    if (!isAttachment.Check(json)) return hostError('an asset has unexpected members')
    const rootUrl = rootOf(complete.value.html_url, complete.value.full_name)
    const link = json.browser_download_url
    const located = link.startsWith(rootUrl)
      ? URL.parse(link.slice(rootUrl.length), url.href)
      : URL.parse(link)
    if (located === null) return hostError('an asset has an unusable URL')
    const isOwn = located.origin === url.origin
    return isOwn || mayBeStorage(url, located)
      ? ok(located)
      : hostError('an asset is at a refused URL')
  }
}

const NO_ASSET = { kind: 'git_not_found', what: 'asset' } as const

/** `ROOT_URL` of the host with its final slash, from the page of a repository. */
const rootOf = (htmlUrl: string, fullName: string): string =>
  htmlUrl.endsWith(`/${fullName}`) ? htmlUrl.slice(0, -fullName.length) : htmlUrl

/** The times are whole seconds; ids grow. */
const newestFirst = (one: Static<typeof ReleaseItem>, other: Static<typeof ReleaseItem>): number =>
  (publishedAt(other) ?? 0) - (publishedAt(one) ?? 0) || other.id - one.id

function publishedAt({ draft, published_at }: Static<typeof ReleaseItem>): number | null {
  const time = Date.parse(published_at ?? '')
  return draft || Number.isNaN(time) ? null : time
}

function toRelease(item: Static<typeof ReleaseItem>): Release {
  return {
    tag: item.tag_name,
    name: item.name ?? '',
    notes: item.body ?? '',
    draft: item.draft,
    prerelease: item.prerelease,
    publishedAt: publishedAt(item),
    assets: (item.assets ?? []).map(({ id, name, size }) => ({
      id: `${item.id}/${id}`,
      filename: name,
      sizeBytes: size,
      sha256: null,
    })),
  }
}
