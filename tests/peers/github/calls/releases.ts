import type { Answer } from '#tests/peers/forge/answer.ts'
import { notFound } from '../answer.ts'
import type { RepositoryCall } from '../call.ts'
import { nodeId, timeOf, type Links } from '../links.ts'
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
  const name = fullName(repository)
  const url = `${links.api}/repos/${name}/releases/${release.id}`
  return {
    url,
    assets_url: `${url}/assets`,
    upload_url: `${url}/assets{?name,label}`,
    html_url: `${links.web}/${name}/releases/tag/${encodeURIComponent(release.tag)}`,
    id: release.id,
    author: showAccount(links, release.author),
    node_id: nodeId('RE', release.id),
    tag_name: release.tag,
    target_commitish: repository.defaultBranch,
    name: release.name,
    draft: release.draft,
    prerelease: release.prerelease,
    created_at: timeOf(release.createdAt),
    published_at: release.publishedAt === null ? null : timeOf(release.publishedAt),
    assets: release.assets.map((asset) => showAsset(links, repository, release, asset)),
    tarball_url: `${links.api}/repos/${name}/tarball/${encodeURIComponent(release.tag)}`,
    zipball_url: `${links.api}/repos/${name}/zipball/${encodeURIComponent(release.tag)}`,
    body: release.notes,
  }
}

function showAsset(links: Links, repository: Repository, release: Release, asset: Asset) {
  const name = fullName(repository)
  return {
    url: `${links.api}/repos/${name}/releases/assets/${asset.id}`,
    id: asset.id,
    node_id: nodeId('RA', asset.id),
    name: asset.name,
    label: '',
    uploader: showAccount(links, release.author),
    content_type: 'application/octet-stream',
    state: 'uploaded',
    size: asset.bytes.length,
    digest: asset.digest,
    download_count: 0,
    created_at: timeOf(release.createdAt),
    updated_at: timeOf(release.createdAt),
    browser_download_url: `${links.web}/${name}/releases/download/${encodeURIComponent(release.tag)}/${encodeURIComponent(asset.name)}`,
  }
}
