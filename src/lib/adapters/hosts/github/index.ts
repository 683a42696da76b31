import type { Signing } from '../../../git/signing.ts'
import type { GitHost } from '../../../ports/git-host.ts'
import { refApi } from '../hosted/branches.ts'
import { apiPath } from '../hosted/api/client.ts'
import { createHosted } from '../hosted/index.ts'
import { notFound, pathOf } from '../hosted/known-repositories.ts'
import { listReleases, type ReleaseMeans } from '../hosted/releases.ts'
import type { Policies } from '../hosted/settings.ts'
import type { GitHostContext } from '../context.ts'
import { pageUrl } from '../page-url.ts'
import type { GitHubClient } from './api/client.ts'
import { gitHubRefusal } from './api/refusal.ts'
import { createCheck } from './check.ts'
import { createCommitOnBranch } from './commit-on-branch.ts'
import { findMergedPullRequest } from './merged-pull.ts'
import { createDescribe } from './pull-request-facts.ts'
import { createGitHubPullRequests } from './pull-requests.ts'
import { creationApi, REPLICATION_WAITS_MS } from './creation.ts'

const RELEASES_PER_PAGE = 100
const ASSET_ID = /^[1-9]\d{0,15}$/

export interface GitHubOptions
  extends Pick<GitHostContext, 'clock' | 'log' | 'dataDirectory' | 'publicOrigin'>, Policies {
  readonly client: GitHubClient
  /** URL of GitHub's pages, without a slash at its end. */
  readonly pagesUrl: string
  /** URL that clone URLs begin with: that of the pages. */
  readonly webUrl: string
  /** File of the certificate authorities in place of the system's. */
  readonly authorityFile: string | null
  /** Author of commits. `app`: the App, whose commits GitHub signs. */
  readonly commitAuthor: 'person' | 'app'
  /** For commits that are pushed. */
  readonly signing: Signing | null
  readonly replicationWaitsMs?: readonly number[]
}

/** GitHub, GitHub Enterprise Cloud, and GitHub Enterprise Server from 3.17 on; `docs/decisions/github.md`. */
export function createGitHubGitHost(options: GitHubOptions): GitHost {
  const { client, pagesUrl, clock, log, repositories } = options
  const hosted = createHosted({
    replicationWaitsMs: REPLICATION_WAITS_MS,
    ...options,
    credentials: client.credentials,
    user: 'x-access-token',
    words: {
      failureOf: gitHubRefusal,
      see: 'metadata: read',
      read: 'contents: read',
      write: 'contents: write',
    },
    branchApi: refApi('/git/ref'),
    creationApi: creationApi(client, repositories, log),
    defaultBranch: repositories.defaultBranch,
    ...(options.commitAuthor === 'app' && {
      commitOnHost: (known) => createCommitOnBranch({ graphql: client.graphql, known }),
    }),
  })
  const { known, mirror, createRepository } = hosted
  const proposals = createGitHubPullRequests(hosted, options.pullRequests)
  const releases: ReleaseMeans = {
    ...hosted,
    query: { per_page: RELEASES_PER_PAGE },
    assetId: (_, id) => String(id),
  }

  return {
    ...mirror.content,
    createRepository,
    findPullRequests: proposals.find,
    findMergedPullRequest: (repository, merged) =>
      findMergedPullRequest(hosted, proposals.find, repository, merged),
    openPullRequest: proposals.open,
    describePullRequests: createDescribe(client.graphql),
    pageUrl: (repository, page) => pageUrl(pagesUrl, 'blob', repository, page),
    check: createCheck(client, known, clock),
    releases: {
      list: (repository) => listReleases(releases, repository),
      async openAsset(repository, { id }, signal) {
        const complete = await known.requireComplete(repository)
        if (!complete.ok) return complete
        if (!ASSET_ID.test(id)) return notFound('asset')
        return client.openAsset(`${pathOf(repository)}${apiPath`/releases/assets/${id}`}`, signal)
      },
    },
  }
}
