import { Type } from 'typebox'
import type { RepositoryId } from '../../../names.ts'
import type { GitAnswer, ReleaseAsset, Releases } from '../../../ports/git-host.ts'
import { err, ok } from '../../../result.ts'
import { mayBeStorage, openAssetOverHttp } from '../hosted/api/asset.ts'
import { answerReader } from '../hosted/api/answer-reader.ts'
import { apiPath, hostError } from '../hosted/api/client.ts'
import type { Hosted } from '../hosted/hosted.ts'
import { notFound, pathOf } from '../hosted/known-repositories.ts'

/** Ids of an asset: of its release, and its own. */
const ASSET_ID = /^(\d{1,15})\/(\d{1,15})$/

const readAttachment = answerReader(
  'an asset',
  Type.Object({ browser_download_url: Type.String() }),
)

/** `url`: where Portico reaches the host. Gitea's own links begin with its `ROOT_URL`, which may be another. */
export const openAsset =
  (hosted: Pick<Hosted, 'client' | 'known'>, url: URL): Releases['openAsset'] =>
  async (repository, asset, signal) => {
    const found = await locate(hosted, url, repository, asset)
    if (!found.ok) return found
    return found.value.origin === url.origin
      ? hosted.client.openAsset(found.value, signal)
      : openAssetOverHttp({ url: found.value, headers: {}, authority: null }, signal)
  }

/** The URL of an asset; below `url` when the host itself serves it. */
async function locate(
  { client, known }: Pick<Hosted, 'client' | 'known'>,
  url: URL,
  repository: RepositoryId,
  { id }: ReleaseAsset,
): GitAnswer<URL> {
  const facts = await known.recent(repository)
  if (!facts.ok) return facts
  const [, release, attachment] = ASSET_ID.exec(id) ?? []
  if (release === undefined || attachment === undefined) return notFound('asset')
  const path = apiPath`/releases/${release}/assets/${attachment}`
  const answer = await client.read(`${pathOf(repository)}${path}`)
  if (!answer.ok) return answer
  if (answer.value.status !== 200) {
    return err(await known.missing(repository, answer.value, 'asset'))
  }
  const read = readAttachment(answer.value)
  if (!read.ok) return read
  const rootUrl = rootOf(facts.value.html_url, facts.value.full_name)
  const link = read.value.browser_download_url
  const located = link.startsWith(rootUrl)
    ? URL.parse(link.slice(rootUrl.length), url.href)
    : URL.parse(link)
  if (located === null) return hostError('an asset has an unusable URL')
  return located.origin === url.origin || mayBeStorage(url, located)
    ? ok(located)
    : hostError('an asset is at a refused URL')
}

/** `ROOT_URL` of the host with its final slash, from the page of a repository. */
const rootOf = (htmlUrl: string, fullName: string): string =>
  htmlUrl.endsWith(`/${fullName}`) ? htmlUrl.slice(0, -fullName.length) : htmlUrl
