import { type Asset, type Release, type Repository, type State, fullName } from '../state.ts'
import { userJson } from './accounts.ts'

const instant = (milliseconds: number) => new Date(milliseconds).toISOString().replace(/\.\d+/, '')

export function releaseJson(state: State, repository: Repository, release: Release) {
  return {
    id: release.id,
    tag_name: release.tag,
    name: release.name,
    body: release.body,
    html_url: `${state.url}/${fullName(repository)}/releases/tag/${release.tag}`,
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
  uuid,
  browser_download_url: `${url}/attachments/${uuid}`,
})
