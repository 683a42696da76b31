import type { Signing } from '../../../git/signing.ts'
import type { GitHost } from '../../../ports/git-host.ts'
import { refusalOf } from '../hosted/api/client.ts'
import { createHosted } from '../hosted/index.ts'
import type { PullRequestPolicy } from '../hosted/pull-request-extras.ts'
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
  const { url, authority, log, projects, signing = null } = options
  const { client, credentials } = createGitLabClient(options)
  const right = 'role Reporter'
  const hosted = createHosted({
    ...options,
    client,
    credentials,
    user: 'oauth2',
    webUrl: url,
    signing,
    words: { failureOf: refusalOf, see: right, read: right, write: 'role Developer' },
    repositoryApi: projectApi(projects.defaultBranch),
    branchApi,
    creationApi: creationApi(client, projects, log),
    defaultBranch: projects.defaultBranch,
  })
  const { known, content, createRepository } = hosted
  const mergeRequests = createMergeRequests({ ...hosted, log }, options.pullRequests)

  return {
    ...content,
    createRepository,
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
