import { LRUCache } from 'lru-cache'
import { createQueue } from '../../../concurrency/queue.ts'
import type { GitHost } from '../../../ports/git-host.ts'
import { createKeptObjects } from '../hosted/kept-objects.ts'
import type { GitHostMeans } from '../means.ts'
import { checkGitHub } from './check.ts'
import type { GitHubClient } from './client.ts'
import { commitChanges } from './commits.ts'
import type { RepositoryPolicy } from './complete-repository.ts'
import { readFiles } from './files.ts'
import type { GitHub } from './github.ts'
import { listBranches, readHead } from './head.ts'
import { listCommits } from './history.ts'
import { createKnownRepositories, nameOf } from './known-repositories.ts'
import { addExtras, type PullRequestPolicy } from './pull-request-extras.ts'
import { findPullRequests, openPullRequest } from './pull-requests.ts'
import { listReleases, openAsset } from './releases.ts'
import { createRepository } from './repositories.ts'
import { createTrees } from './trees.ts'

const FRESH_BRANCHES_MAX = 1_000

export interface GitHubOptions extends Pick<GitHostMeans, 'clock' | 'log'> {
  readonly client: GitHubClient
  readonly repositories: RepositoryPolicy
  readonly pullRequests: PullRequestPolicy
}

/** GitHub, GitHub Enterprise Cloud, and GitHub Enterprise Server from 3.17 on; `docs/decisions/github.md`. */
export function createGitHubGitHost({
  client,
  clock,
  log,
  repositories,
  pullRequests,
}: GitHubOptions): GitHost {
  const inTurn = createQueue()
  const known = createKnownRepositories(client, clock)
  const kept = createKeptObjects()
  const trees = createTrees(client, known, kept)
  const freshBranches = new LRUCache<string, true>({ max: FRESH_BRANCHES_MAX })
  const github: GitHub = { client, known, kept, trees, clock, log, inTurn, freshBranches }

  return {
    head: (repository, branch) => readHead(github, repository, branch),
    listBranches: (repository, prefix) => listBranches(github, repository, prefix),
    listFiles: (repository, at) => trees.list(repository, at),
    readFiles: (repository, commit, files, maxBytes) =>
      readFiles(github, repository, commit, files, maxBytes),
    listCommits: (repository, range) => listCommits(github, repository, range),
    commit: (repository, request) =>
      commitChanges(github, repository, request, repositories.commitAuthor),
    createRepository: (repository, request) =>
      inTurn(nameOf(repository), () => createRepository(github, repository, request, repositories)),
    findPullRequests: (repository, filter) => findPullRequests(github, repository, filter),
    async openPullRequest(repository, request) {
      const opened = await inTurn(`${nameOf(repository)}#${request.head}`, () =>
        openPullRequest(github, repository, request),
      )
      if (opened.ok && opened.value.created) {
        await addExtras(github, repository, opened.value.pullRequest.number, pullRequests)
      }
      return opened
    },
    check: (uses) => checkGitHub(client, uses, clock),
    releases: {
      list: (repository) => listReleases(github, repository),
      openAsset: (repository, asset, signal) =>
        openAsset(github, client.openAsset, repository, asset, signal),
    },
  }
}
