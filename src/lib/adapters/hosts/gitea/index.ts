import type { GitHost } from '../../../ports/git-host.ts'
import { refusalOf } from '../hosted/api/client.ts'
import { refApi } from '../hosted/branches.ts'
import { createHosted } from '../hosted/index.ts'
import { listReleases, type ReleaseMeans } from '../hosted/releases.ts'
import { createServerClient } from '../hosted/server.ts'
import type { ServerOptions } from '../hosted/settings.ts'
import { pageUrl } from '../page-url.ts'
import { type AssetMeans, openAsset } from './assets.ts'
import { createCheck } from './check.ts'
import { createFindMerged } from './merged-pull.ts'
import { createDescribe } from './pull-request-facts.ts'
import { createGiteaPullRequests } from './pull-requests.ts'
import { creationApi } from './creation.ts'

const RELEASES_PER_PAGE = 50

/** Gitea 1.21 or later, and Forgejo; `docs/decisions/gitea.md`. */
export function createGitea(options: ServerOptions): GitHost {
  const { url, authority, log } = options
  const { client, credentials } = createServerClient(options, '/api/v1', 'token')
  const right = 'repository: read'
  const hosted = createHosted({
    ...options,
    client,
    credentials,
    user: 'portico',
    webUrl: url,
    words: { failureOf: refusalOf, see: right, read: right, write: 'repository: write' },
    branchApi: refApi('/git/refs'),
    creationApi: creationApi(client, options.repositories, log),
    defaultBranch: options.repositories.defaultBranch,
  })
  const { known, mirror, createRepository } = hosted
  const pullRequests = createGiteaPullRequests(hosted, options.pullRequests)
  const releases: ReleaseMeans = {
    client,
    known,
    query: { limit: RELEASES_PER_PAGE },
    assetId: (releaseId, assetId) => `${releaseId}/${assetId}`,
  }
  const assets: AssetMeans = {
    client,
    known,
    url: new URL(`${url}/`),
    credentials,
    authority,
  }

  return {
    ...mirror.content,
    createRepository,
    findPullRequests: pullRequests.find,
    findMergedPullRequest: createFindMerged({ client, known, find: pullRequests.find }),
    openPullRequest: pullRequests.open,
    describePullRequests: createDescribe(client),
    pageUrl: (repository, page) => pageUrl(url, 'src/commit', repository, page),
    check: createCheck({ client, known }),
    releases: {
      list: (repository) => listReleases(releases, repository),
      openAsset: (repository, asset, signal) => openAsset(assets, repository, asset, signal),
    },
  }
}
