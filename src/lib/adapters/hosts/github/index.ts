import { LRUCache } from 'lru-cache'
import { createQueue } from '../../../concurrency/queue.ts'
import type { GitHost } from '../../../ports/git-host.ts'
import { createBranches } from '../hosted/branches.ts'
import { apiPath } from '../hosted/api/client.ts'
import { type FileMeans, readFiles } from '../hosted/files.ts'
import { createKeptObjects } from '../hosted/objects/kept-objects.ts'
import { createKnownRepositories, nameOf } from '../hosted/known-repositories.ts'
import { listPathCommits } from '../hosted/path-commits.ts'
import type { PullRequestPolicy } from '../hosted/pull-request-extras.ts'
import { listReleases, type ReleaseMeans } from '../hosted/releases.ts'
import { pageUrl } from '../page-url.ts'
import type { GitHostMeans } from '../means.ts'
import { checkGitHub } from './check/check.ts'
import type { GitHubClient } from './api/client.ts'
import { commitChanges } from './git/commits.ts'
import type { RepositoryPolicy } from './repositories/complete.ts'
import type { GitHub } from './github.ts'
import { listCommits } from './git/history.ts'
import { locateFiles } from './git/locate-files.ts'
import { findMergedPullRequest } from './merged-pull.ts'
import { createGitHubPullRequests } from './pull-requests.ts'
import { gitHubRefusal } from './api/refusal.ts'
import { openAsset } from './api/assets.ts'
import { createRepository } from './repositories/create.ts'
import { createTrees } from './git/trees.ts'

const FRESH_BRANCHES_MAX = 1_000
const RELEASES_PER_PAGE = 100
const PATH_COMMITS_PER_PAGE = 50

export interface GitHubOptions extends Pick<GitHostMeans, 'clock' | 'log'> {
  readonly client: GitHubClient
  /** URL of GitHub's pages, without a slash at its end. */
  readonly webUrl: string
  readonly repositories: RepositoryPolicy
  readonly pullRequests: PullRequestPolicy
}

/** GitHub, GitHub Enterprise Cloud, and GitHub Enterprise Server from 3.17 on; `docs/decisions/github.md`. */
export function createGitHubGitHost({
  client,
  webUrl,
  clock,
  log,
  repositories,
  pullRequests,
}: GitHubOptions): GitHost {
  const inTurn = createQueue()
  const known = createKnownRepositories(client, clock, {
    failureOf: gitHubRefusal,
    see: 'metadata: read',
    read: 'contents: read',
  })
  const kept = createKeptObjects()
  const trees = createTrees(client, known, kept)
  const branches = createBranches(client, known, {
    one: '/git/ref',
    many: '/git/matching-refs',
    removable: '/git/refs/heads',
  })
  const freshBranches = new LRUCache<string, true>({ max: FRESH_BRANCHES_MAX })
  const github: GitHub = { client, known, branches, kept, trees, clock, log, inTurn, freshBranches }
  const files: FileMeans = {
    ...github,
    locate: (repository, commit, wanted) => locateFiles(github, repository, commit, wanted),
    archiveOf: (commit) => apiPath`/tarball/${commit}`,
  }
  const proposals = createGitHubPullRequests(github, pullRequests)
  const pathCommits = { client, known, query: { per_page: PATH_COMMITS_PER_PAGE } }
  const releases: ReleaseMeans = {
    ...github,
    query: { per_page: RELEASES_PER_PAGE },
    assetId: (_, id) => String(id),
  }

  return {
    head: (repository, branch) => branches.head(repository, branch),
    listBranches: (repository, prefix) => branches.list(repository, prefix),
    listFiles: (repository, at) => trees.list(repository, at),
    readFiles: (repository, commit, wanted, maxBytes) =>
      readFiles(files, repository, commit, wanted, maxBytes),
    listCommits: (repository, range) => listCommits(github, repository, range),
    async listPathCommits(repository, history) {
      const complete = await known.requireComplete(repository)
      return complete.ok ? listPathCommits(pathCommits, repository, history) : complete
    },
    commit: (repository, request) =>
      commitChanges(github, repository, request, repositories.commitAuthor),
    removeBranch: (repository, head) => branches.remove(repository, head),
    createRepository: (repository, request) =>
      inTurn(nameOf(repository), () => createRepository(github, repository, request, repositories)),
    findPullRequests: (repository, filter) => proposals.find(repository, filter),
    findMergedPullRequest: (repository, merged) =>
      findMergedPullRequest(github, proposals.find, repository, merged),
    openPullRequest: (repository, request) => proposals.open(repository, request),
    pageUrl: (repository, page) => pageUrl(webUrl, 'blob', repository, page),
    check: (uses) => checkGitHub(client, uses, clock),
    releases: {
      list: (repository) => listReleases(releases, repository),
      openAsset: (repository, asset, signal) =>
        openAsset(github, client.openAsset, repository, asset, signal),
    },
  }
}
