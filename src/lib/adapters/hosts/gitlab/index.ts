import type { GitHost } from '../../../ports/git-host.ts'
import { refusalOf } from '../hosted/api/client.ts'
import { createServer, type ServerOptions } from '../hosted/server.ts'
import { createCheck } from './check.ts'
import { creationApi } from './creation.ts'
import { createDescribe, mergeRequestApi } from './merge-requests.ts'
import { API, branchApi, projectApi } from './project.ts'
import { createReleases } from './releases.ts'

const READ = 'role Reporter'

/** GitLab 16 or later; `docs/decisions/gitlab.md`. */
export function createGitLab(options: ServerOptions): GitHost {
  return createServer(options, {
    api: API,
    // Access tokens of persons, projects and groups are taken like tokens of OAuth.
    scheme: 'Bearer',
    user: 'oauth2',
    files: '-/blob',
    words: { failureOf: refusalOf, see: READ, read: READ, write: 'role Developer' },
    repositoryApi: projectApi(options.repositories.defaultBranch),
    branchApi,
    creationApi,
    pullRequestApi: mergeRequestApi,
    describe: createDescribe,
    check: createCheck,
    releases: (hosted) => createReleases(hosted, options.url),
  })
}
