import type { GitHost } from '../../../ports/git-host.ts'
import { refusalOf } from '../hosted/api/client.ts'
import { refApi } from '../hosted/branches.ts'
import { releasesBy } from '../hosted/releases.ts'
import { createServer, type ServerOptions } from '../hosted/server.ts'
import { createCheck } from './check.ts'
import { createDescribe, pullRequestApi } from './pull-requests.ts'
import { creationApi } from './creation.ts'

const RELEASES_PER_PAGE = 50
const ASSET_ID = /^[0-9a-f-]{36}$/
const READ = 'repository: read'

/** Gitea 1.21 or later, and Forgejo; `docs/decisions/gitea.md`. */
export function createGitea(options: ServerOptions): GitHost {
  return createServer(options, {
    api: '/api/v1',
    scheme: 'token',
    user: 'portico',
    files: 'src/commit',
    words: { failureOf: refusalOf, see: READ, read: READ, write: 'repository: write' },
    branchApi: refApi('/git/refs'),
    creationApi,
    pullRequestApi,
    describe: createDescribe,
    check: createCheck,
    releases: (hosted) =>
      releasesBy(hosted, {
        query: { limit: RELEASES_PER_PAGE },
        assetId: ({ uuid, id }) => uuid ?? String(id),
        // Gitea's own links begin with its `ROOT_URL`, which may be another. It redirects to its storage, and to an external asset.
        placeOf: (_, id) =>
          ASSET_ID.test(id) ? new URL(`${options.url}/attachments/${id}`) : null,
      }),
  })
}
