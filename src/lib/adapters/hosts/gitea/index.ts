import type { GitHost } from '../../../ports/git-host.ts'
import { refusalOf } from '../hosted/api/client.ts'
import { refApi } from '../hosted/branches.ts'
import { createHosted } from '../hosted/index.ts'
import { listReleases } from '../hosted/releases.ts'
import { createServerClient } from '../hosted/server.ts'
import type { ServerOptions } from '../hosted/server-kind.ts'
import { openAsset } from './assets.ts'
import { createCheck } from './check.ts'
import { createDescribe, pullRequestApi } from './pull-requests.ts'
import { creationApi } from './creation.ts'

const RELEASES_PER_PAGE = 50
const READ = 'repository: read'

/** Gitea 1.21 or later, and Forgejo; `docs/decisions/gitea.md`. */
export function createGitea(options: ServerOptions): GitHost {
  const { url } = options
  const client = createServerClient(options, '/api/v1', 'token')
  return createHosted(
    { ...options, client, webUrl: url },
    {
      user: 'portico',
      files: 'src/commit',
      words: { failureOf: refusalOf, see: READ, read: READ, write: 'repository: write' },
      branchApi: refApi('/git/refs'),
      creationApi,
      pullRequestApi,
      describe: createDescribe(client),
      check: createCheck,
      releases: (hosted) => ({
        list: listReleases(
          hosted,
          { limit: RELEASES_PER_PAGE },
          (release, asset) => `${release}/${asset}`,
        ),
        openAsset: openAsset(hosted, new URL(`${url}/`)),
      }),
    },
  )
}
