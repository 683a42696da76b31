import type { GitHost } from '../../../ports/git-host.ts'
import { refusalOf } from '../hosted/api/client.ts'
import { createHosted } from '../hosted/index.ts'
import { createServerClient } from '../hosted/server.ts'
import type { ServerOptions } from '../hosted/server-kind.ts'
import { createCheck } from './check.ts'
import { creationApi } from './creation.ts'
import { createDescribe, mergeRequestApi } from './merge-requests.ts'
import { API, branchApi, projectApi } from './project.ts'
import { createReleases } from './releases.ts'

const READ = 'role Reporter'

/** GitLab 16 or later; `docs/decisions/gitlab.md`. */
export function createGitLab(options: ServerOptions): GitHost {
  const { url, repositories } = options
  // Access tokens of persons, projects and groups are taken like tokens of OAuth.
  const client = createServerClient(options, API, 'Bearer')
  return createHosted(
    { ...options, client, webUrl: url },
    {
      user: 'oauth2',
      files: '-/blob',
      words: { failureOf: refusalOf, see: READ, read: READ, write: 'role Developer' },
      repositoryApi: projectApi(repositories.defaultBranch),
      branchApi,
      creationApi,
      pullRequestApi: mergeRequestApi,
      describe: createDescribe(client),
      check: createCheck,
      releases: (hosted) => createReleases(hosted, url),
    },
  )
}
