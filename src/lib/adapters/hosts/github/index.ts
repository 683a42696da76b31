import type { GitHost } from '../../../ports/git-host.ts'
import { refApi } from '../hosted/branches.ts'
import { apiPath } from '../hosted/api/client.ts'
import type { HostedOptions } from '../hosted/hosted.ts'
import { createHosted } from '../hosted/index.ts'
import { pathOf } from '../hosted/known-repositories.ts'
import { releasesBy } from '../hosted/releases.ts'
import type { GitHubClient } from './api/client.ts'
import { gitHubRefusal } from './api/refusal.ts'
import { createCheck } from './check.ts'
import { createCommitOnBranch } from './commit-on-branch.ts'
import { createDescribe, pullRequestApi } from './pull-requests.ts'
import { creationApi, REPLICATION_WAITS_MS } from './creation.ts'

const RELEASES_PER_PAGE = 100
const ASSET_ID = /^[1-9]\d{0,15}$/

export interface GitHubOptions extends HostedOptions {
  readonly client: GitHubClient
  /** Author of commits. `app`: the App, whose commits GitHub signs. */
  readonly commitAuthor: 'person' | 'app'
}

/** GitHub, GitHub Enterprise Cloud, and GitHub Enterprise Server from 3.17 on; `docs/decisions/github.md`. */
export function createGitHubGitHost(options: GitHubOptions): GitHost {
  const { client } = options
  const { graphql } = client
  return createHosted(
    { replicationWaitsMs: REPLICATION_WAITS_MS, ...options },
    {
      user: 'x-access-token',
      files: 'blob',
      words: {
        failureOf: gitHubRefusal,
        see: 'metadata: read',
        read: 'contents: read',
        write: 'contents: write',
      },
      branchApi: refApi('/git/ref'),
      creationApi,
      ...(options.commitAuthor === 'app' && {
        commitOnHost: (known) => createCommitOnBranch(graphql, known),
      }),
      pullRequestApi,
      describe: () => createDescribe(graphql),
      check: (hosted) => createCheck(client, hosted),
      releases: (hosted) =>
        releasesBy(hosted, {
          query: { per_page: RELEASES_PER_PAGE },
          assetId: ({ id }) => String(id),
          placeOf: (repository, id) =>
            ASSET_ID.test(id) ? `${pathOf(repository)}${apiPath`/releases/assets/${id}`}` : null,
        }),
    },
  )
}
