import { type Asset, type Release, type Repository, type State, fullName } from '../state.ts'
import { userJson } from './accounts.ts'

const instant = (milliseconds: number) => new Date(milliseconds).toISOString().replace(/\.\d+/, '')

export function releaseJson(state: State, repository: Repository, release: Release) {
  const name = fullName(repository)
  const api = `${state.url}/api/v1/repos/${name}/releases/${release.id}`
  const archive = `${state.url}/${name}/archive/${release.tag}`
  return {
    id: release.id,
    tag_name: release.tag,
    target_commitish: release.target,
    name: release.name,
    body: release.body,
    url: api,
    html_url: `${state.url}/${name}/releases/tag/${release.tag}`,
    tarball_url: `${archive}.tar.gz`,
    zipball_url: `${archive}.zip`,
    upload_url: `${api}/assets`,
    draft: release.draft,
    prerelease: release.prerelease,
    created_at: instant(release.createdAt),
    published_at: instant(release.createdAt),
    author: userJson(state, repository.owner),
    assets: release.assets.map((asset) => assetJson(state, asset)),
  }
}

export const assetJson = ({ url }: State, { id, uuid, name, bytes }: Asset) => ({
  id,
  name,
  size: bytes.length,
  download_count: 0,
  created_at: '2026-01-01T00:00:00Z',
  uuid,
  browser_download_url: `${url}/attachments/${uuid}`,
})
