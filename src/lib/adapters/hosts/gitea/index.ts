import type { Signing } from '../../../git/signing.ts'
import type { GitHost } from '../../../ports/git-host.ts'
import { refusalOf } from '../hosted/api/client.ts'
import { refApi } from '../hosted/branches.ts'
import { createHosted } from '../hosted/index.ts'
import type { PullRequestPolicy } from '../hosted/pull-request-extras.ts'
import { listReleases, type ReleaseMeans } from '../hosted/releases.ts'
import type { GitHostMeans } from '../means.ts'
import { pageUrl } from '../page-url.ts'
import { type AssetMeans, openAsset } from './assets.ts'
import { createCheck } from './check.ts'
import { createGiteaClient, type GiteaClientOptions } from './client.ts'
import { createFindMerged } from './merged-pull.ts'
import { createDescribe } from './pull-request-facts.ts'
import { createGiteaPullRequests } from './pull-requests.ts'
import { creationApi, type RepositorySettings } from './creation.ts'

const RELEASES_PER_PAGE = 50

export interface GiteaOptions
  extends GiteaClientOptions, Pick<GitHostMeans, 'publicOrigin' | 'dataDirectory'> {
  /** File of `authority`, for git. */
  readonly authorityFile: string | null
  readonly signing?: Signing | null
  readonly repositories: RepositorySettings
  readonly pullRequests: PullRequestPolicy
}

/** Gitea 1.21 or later, and Forgejo; `docs/decisions/gitea.md`. */
export function createGitea(options: GiteaOptions): GitHost {
  const { url, authority, log, signing = null } = options
  const { client, credentials } = createGiteaClient(options)
  const right = 'repository: read'
  const hosted = createHosted({
    ...options,
    client,
    credentials,
    user: 'portico',
    webUrl: url,
    signing,
    words: { failureOf: refusalOf, see: right, read: right, write: 'repository: write' },
    branchApi: refApi('/git/refs'),
    creationApi: creationApi(client, options.repositories, log),
    defaultBranch: options.repositories.defaultBranch,
  })
  const { known, mirror, createRepository } = hosted
  const pullRequests = createGiteaPullRequests({ ...hosted, log }, options.pullRequests)
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
    findMergedPullRequest: createFindMerged({ client, known, mirror, find: pullRequests.find }),
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
