import type { Answer } from '#tests/peers/forge/answer.ts'
import { created, notFound, ok, Refusal } from '../answer.ts'
import { addressOf, type Call, pageOf, parameter, repositoryOf } from '../call.ts'
import { assetJson, releaseJson } from '../json/release.ts'
import { commitNamed } from '../revisions.ts'
import type { Release, State } from '../state.ts'

const TEXT = { 'content-type': 'text/plain; charset=utf-8' }

interface NewRelease {
  readonly tag_name: string
  readonly target_commitish?: string
  readonly name?: string
  readonly body?: string
  readonly draft?: boolean
  readonly prerelease?: boolean
}

export const releases = {
  repoListReleases(call: Call) {
    const repository = repositoryOf(call)
    const visible = repository.releases.filter(
      ({ draft }) => !draft || call.token.rights !== 'read',
    )
    const { items, headers } = pageOf(visible.toReversed(), call, addressOf(call, 'releases'))
    return ok(
      items.map((release) => releaseJson(call.state, repository, release)),
      headers,
    )
  },

  async repoCreateRelease(call: Call) {
    const repository = repositoryOf(call, 'write')
    const wanted = call.body as NewRelease
    if (repository.releases.some(({ tag }) => tag === wanted.tag_name)) {
      throw new Refusal(409, 'Release is has no Tag')
    }
    const commit = await commitNamed(
      repository,
      wanted.target_commitish ?? repository.defaultBranch,
    )
    if (commit === null) throw notFound('the target does not exist')
    const draft = wanted.draft ?? false
    if (!draft) await repository.git.updateReference(`refs/tags/${wanted.tag_name}`, commit)
    const release: Release = {
      id: call.state.nextId(),
      tag: wanted.tag_name,
      name: wanted.name ?? '',
      body: wanted.body ?? '',
      draft,
      prerelease: wanted.prerelease ?? false,
      createdAt: Date.now(),
      assets: [],
    }
    repository.releases.push(release)
    return created(releaseJson(call.state, repository, release))
  },

  /** The same name twice makes two. */
  async repoCreateReleaseAttachment(call: Call) {
    const { assets } = releaseOf(call)
    const file = call.form?.get('attachment')
    if (!(file instanceof Blob)) throw new Refusal(400, 'no attachment')
    const asset = {
      id: call.state.nextId(),
      uuid: crypto.randomUUID(),
      name: call.query.get('name') ?? 'attachment',
      bytes: new Uint8Array(await file.arrayBuffer()),
    }
    assets.push(asset)
    return created(assetJson(call.state, asset))
  },
}

function releaseOf(call: Call): Release {
  const repository = repositoryOf(call)
  const id = Number(parameter(call, 'id'))
  const release = repository.releases.find((each) => each.id === id)
  if (release === undefined) throw notFound()
  return release
}

/** `/attachments/<uuid>`, with ranges. Who may not see the repository gets a 404. */
export function downloadAsset(
  state: State,
  uuid: string,
  mayRead: boolean,
  range: string | null,
): Answer {
  const repository = state.repositories.find(({ releases: all }) =>
    all.some(({ assets }) => assets.some((asset) => asset.uuid === uuid)),
  )
  const asset = repository?.releases
    .flatMap(({ assets }) => assets)
    .find((each) => each.uuid === uuid)
  if (repository === undefined || asset === undefined || (repository.isPrivate && !mayRead)) {
    return { status: 404, headers: TEXT, body: Buffer.from('Not Found\n') }
  }
  const headers = {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename=${asset.name}`,
    etag: `"${asset.uuid}"`,
  }
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? []
  if (first === undefined) return { status: 200, headers, body: asset.bytes }
  const end = Math.min(last ? Number(last) + 1 : asset.bytes.length, asset.bytes.length)
  return {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${first}-${end - 1}/${asset.bytes.length}` },
    body: asset.bytes.slice(Number(first), end),
  }
}
