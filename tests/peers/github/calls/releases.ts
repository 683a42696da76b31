import type { Answer } from '#tests/peers/forge/answer.ts'
import { notFound } from '../answer.ts'
import type { RepositoryCall } from '../call.ts'
import { timeOf, type Links } from '../links.ts'
import { paged } from '../paging.ts'
import { fullName, type Asset, type Release, type Repository } from '../state.ts'
import { showAccount } from './accounts.ts'
import { mayDo } from '../rights.ts'

/** Drafts are for those who may push. */
export function listReleases(call: RepositoryCall): Answer {
  const { repository, links, credential } = call
  const seesDrafts = mayDo(credential, 'contents', 'write')
  const seen = repository.releases.filter(({ draft }) => seesDrafts || !draft)
  return paged(call, seen.toReversed(), (release) => showRelease(links, repository, release))
}

export function getReleaseAsset(call: RepositoryCall, sign: (asset: Asset) => string): Answer {
  const { repository, links, parameters, headers, behaviour } = call
  const id = Number(parameters['asset_id'])
  const release = repository.releases.find(({ assets }) => assets.some((each) => each.id === id))
  const asset = release?.assets.find((each) => each.id === id)
  if (release === undefined || asset === undefined) throw notFound()
  if (headers['accept'] !== 'application/octet-stream')
    return { status: 200, body: showAsset(links, repository, release, asset) }
  if (behaviour.assets === 'redirect') return { status: 302, headers: { location: sign(asset) } }
  return {
    status: 200,
    headers: { 'content-type': 'application/octet-stream' },
    body: asset.bytes,
  }
}

function showRelease(links: Links, repository: Repository, release: Release) {
  return {
    html_url: `${links.web}/${fullName(repository)}/releases/tag/${encodeURIComponent(release.tag)}`,
    id: release.id,
    author: showAccount(links, release.author),
    tag_name: release.tag,
    name: release.name,
    draft: release.draft,
    prerelease: release.prerelease,
    created_at: timeOf(release.createdAt),
    published_at: release.publishedAt === null ? null : timeOf(release.publishedAt),
    assets: release.assets.map((asset) => showAsset(links, repository, release, asset)),
    body: release.notes,
  }
}

function showAsset(links: Links, repository: Repository, release: Release, asset: Asset) {
  const name = fullName(repository)
  return {
    url: `${links.api}/repos/${name}/releases/assets/${asset.id}`,
    id: asset.id,
    name: asset.name,
    state: 'uploaded',
    size: asset.bytes.length,
    digest: asset.digest,
    browser_download_url: `${links.web}/${name}/releases/download/${encodeURIComponent(release.tag)}/${encodeURIComponent(asset.name)}`,
  }
}
