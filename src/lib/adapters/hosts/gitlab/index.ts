import type { GitHost } from '../../../ports/git-host.ts'
import { refusalOf } from '../hosted/api/client.ts'
import { createHosted } from '../hosted/index.ts'
import { createServerClient } from '../hosted/server.ts'
import type { ServerOptions } from '../hosted/settings.ts'
import { pageUrl } from '../page-url.ts'
import { createCheck } from './check.ts'
import { creationApi } from './creation.ts'
import { createDescribe } from './merge-request-facts.ts'
import { createFindMerged, createMergeRequests } from './merge-requests.ts'
import { API, branchApi, projectApi } from './project.ts'
import { createReleases } from './releases.ts'

/** GitLab 16 or later; `docs/decisions/gitlab.md`. */
export function createGitLab(options: ServerOptions): GitHost {
  const { url, authority, log, repositories } = options
  // Access tokens of persons, projects and groups are taken like tokens of OAuth.
  const { client, credentials } = createServerClient(options, API, 'Bearer')
  const right = 'role Reporter'
  const hosted = createHosted({
    ...options,
    client,
    credentials,
    user: 'oauth2',
    webUrl: url,
    words: { failureOf: refusalOf, see: right, read: right, write: 'role Developer' },
    repositoryApi: projectApi(repositories.defaultBranch),
    branchApi,
    creationApi: creationApi(client, repositories, log),
    defaultBranch: repositories.defaultBranch,
  })
  const { known, content, createRepository } = hosted
  const mergeRequests = createMergeRequests(hosted, options.pullRequests)

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
