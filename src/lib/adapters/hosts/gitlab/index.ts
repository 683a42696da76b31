import { join } from 'node:path'
import { createQueue } from '../../../concurrency/queue.ts'
import { createMirror } from '../../../git/mirror.ts'
import type { Signing } from '../../../git/signing.ts'
import type { GitHost } from '../../../ports/git-host.ts'
import { refusalOf } from '../hosted/api/client.ts'
import { createBranches } from '../hosted/branches.ts'
import { createKnownRepositories } from '../hosted/known-repositories.ts'
import type { PullRequestPolicy } from '../hosted/pull-request-extras.ts'
import { createRemote } from '../hosted/remote.ts'
import { createRepositories } from '../hosted/repositories.ts'
import type { GitHostMeans } from '../means.ts'
import { pageUrl } from '../page-url.ts'
import { createCheck } from './check.ts'
import { createGitLabClient, type GitLabClientOptions } from './client.ts'
import { creationApi, type ProjectPolicy } from './creation.ts'
import { createDescribe } from './merge-request-facts.ts'
import { createFindMerged, createMergeRequests } from './merge-requests.ts'
import { branchApi, projectApi } from './project.ts'
import { createReleases } from './releases.ts'

export interface GitLabOptions
  extends GitLabClientOptions, Pick<GitHostMeans, 'publicOrigin' | 'dataDirectory'> {
  /** File of `authority`, for git. */
  readonly authorityFile: string | null
  readonly signing?: Signing | null
  readonly projects: ProjectPolicy
  readonly pullRequests: PullRequestPolicy
}

/** GitLab 16 or later; `docs/decisions/gitlab.md`. */
export function createGitLab(options: GitLabOptions): GitHost {
  const { url, authority, authorityFile, clock, log, publicOrigin, dataDirectory, projects } =
    options
  const { client, credentials } = createGitLabClient(options)
  const inTurn = createQueue()
  const right = 'role Reporter'
  const known = createKnownRepositories(
    client,
    clock,
    { failureOf: refusalOf, see: right, read: right },
    projectApi(projects.defaultBranch),
  )
  const branches = createBranches(client, known, branchApi)
  const remote = createRemote({
    webUrl: url,
    credentials,
    user: 'oauth2',
    known,
    branches,
    rightToWrite: 'role Developer',
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
    api: creationApi(client, projects, log),
    known,
    defaultBranch: projects.defaultBranch,
    mirror,
    branches,
    publicOrigin,
    rightToWrite: remote.rightToWrite,
    replicationWaitsMs: [],
    inTurn,
    clock,
  })
  const mergeRequests = createMergeRequests(
    { client, known, branches, content: mirror.content, inTurn, log },
    options.pullRequests,
  )

  return {
    ...mirror.content,
    createRepository: repositories.create,
    findPullRequests: mergeRequests.find,
    findMergedPullRequest: createFindMerged(client, known),
    openPullRequest: mergeRequests.open,
    describePullRequests: createDescribe(client),
    pageUrl: (repository, page) => pageUrl(url, '-/blob', repository, page),
    check: createCheck({ client, known }),
    releases: createReleases({
      client,
      known,
      url,
      credentials,
      authority,
    }),
  }
}
