import { join } from 'node:path'
import { createQueue } from '../../../concurrency/queue.ts'
import { createMirror } from '../../../git/mirror.ts'
import type { Signing } from '../../../git/signing.ts'
import type { GitHost } from '../../../ports/git-host.ts'
import { refusalOf } from '../hosted/api/client.ts'
import { createBranches, refApi } from '../hosted/branches.ts'
import { createKnownRepositories } from '../hosted/known-repositories.ts'
import type { PullRequestPolicy } from '../hosted/pull-request-extras.ts'
import { listReleases, type ReleaseMeans } from '../hosted/releases.ts'
import { createRemote } from '../hosted/remote.ts'
import type { GitHostMeans } from '../means.ts'
import { pageUrl } from '../page-url.ts'
import { type AssetMeans, openAsset } from './assets.ts'
import { createCheck } from './check.ts'
import { createGiteaClient, type GiteaClientOptions } from './client.ts'
import { createFindMerged } from './merged-pull.ts'
import { createDescribe } from './pull-request-facts.ts'
import { createGiteaPullRequests } from './pull-requests.ts'
import { createRepositories } from '../hosted/repositories.ts'
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
  const { authority, authorityFile, clock, log, publicOrigin, dataDirectory } = options
  const { client, credentials } = createGiteaClient(options)
  const inTurn = createQueue()
  const right = 'repository: read'
  const known = createKnownRepositories(client, clock, {
    failureOf: refusalOf,
    see: right,
    read: right,
  })
  const branches = createBranches(client, known, refApi('/git/refs'))
  const remote = createRemote({
    webUrl: options.url,
    credentials,
    user: 'portico',
    known,
    branches,
    rightToWrite: 'repository: write',
    authorityFile,
  })
  const mirror = createMirror({
    root: join(dataDirectory, 'mirrors'),
    remote,
    clock,
    commitOnHost: null,
    signing: options.signing ?? null,
  })
  const repositories = createRepositories({
    api: creationApi(client, options.repositories, log),
    known,
    defaultBranch: options.repositories.defaultBranch,
    mirror,
    branches,
    publicOrigin,
    rightToWrite: remote.rightToWrite,
    replicationWaitsMs: [],
    inTurn,
    clock,
  })
  const pullRequests = createGiteaPullRequests(
    { client, known, branches, content: mirror.content, inTurn, clock, log },
    options.pullRequests,
  )
  const releases: ReleaseMeans = {
    client,
    known,
    query: { limit: RELEASES_PER_PAGE },
    assetId: (releaseId, assetId) => `${releaseId}/${assetId}`,
  }
  const assets: AssetMeans = {
    client,
    known,
    url: new URL(`${options.url}/`),
    credentials,
    authority,
  }

  return {
    ...mirror.content,
    createRepository: repositories.create,
    findPullRequests: pullRequests.find,
    findMergedPullRequest: createFindMerged({ client, known, mirror, find: pullRequests.find }),
    openPullRequest: pullRequests.open,
    describePullRequests: createDescribe(client),
    pageUrl: (repository, page) => pageUrl(options.url, 'src/commit', repository, page),
    check: createCheck({ client, known }),
    releases: {
      list: (repository) => listReleases(releases, repository),
      openAsset: (repository, asset, signal) => openAsset(assets, repository, asset, signal),
    },
  }
}
