import type { Credential } from '../../../../settings/credential.ts'
import { VERSION } from '../../../../../version.ts'
import type { HostClient } from '../../hosted/api/client.ts'
import { createHostClient, type HostClientOptions } from '../../hosted/api/create-client.ts'
import { type Credentials, tokenCredentials } from '../../hosted/api/credentials.ts'
import { refusalByGraphqlLimit } from '../../hosted/api/rate-limit.ts'
import { createWritePace, type WriteRate } from '../../hosted/api/write-pace.ts'
import type { GitHostContext } from '../../context.ts'
import {
  type AppRequests,
  createAppRequests,
  installationCredentials,
  type InstalledApp,
} from './github-app.ts'
import { octokitExchange } from './octokit-exchange.ts'

export type GitHubAccess =
  | { readonly kind: 'token'; readonly token: Credential }
  | { readonly kind: 'app'; readonly app: InstalledApp }

export interface GitHubClientOptions extends Pick<
  HostClientOptions,
  'clock' | 'log' | 'onRateLimit' | 'deadlineMs'
> {
  /** `https://api.github.com`, or `https://HOST/api/v3` of an Enterprise Server. */
  readonly apiUrl: string
  readonly access: GitHubAccess
  /** PEM of the certificate authorities in place of the system's. */
  readonly authority: string | null
  readonly writeTurns: GitHostContext['writeTurns']
  readonly writeRate?: WriteRate
}

export interface GitHubClient extends HostClient {
  readonly graphql: Pick<HostClient, 'write'>
  /** `null`: a token. */
  readonly app: (AppRequests & Pick<InstalledApp, 'installationId'>) | null
}

/**
 * GitHub: "Best practices for using the REST API", and the secondary limits of "Rate limits for the REST API": a second apart, 80 a minute,
 * 500 an hour. A burst and what is refilled in an hour are 500 together, whenever the hour begins.
 */
export const WRITE_RATE: WriteRate = { intervalMs: 1_000, burst: 200, refillMs: 12_000 }

const HEADERS = {
  accept: 'application/vnd.github+json',
  'user-agent': `portico/${VERSION}`,
  'x-github-api-version': '2022-11-28',
}

/** GitHub's REST API, with the credentials of an App's installation or with a token. */
export function createGitHubClient({
  apiUrl,
  access,
  writeTurns: turns,
  writeRate: rate = WRITE_RATE,
  ...options
}: GitHubClientOptions): GitHubClient {
  const { authority, clock } = options
  const root = apiUrl.replace(/\/+$/, '')
  const exchange = octokitExchange({ authority, root })
  const api = { ...options, root, headers: HEADERS, exchange }
  const pace = createWritePace(api.root, rate, clock, turns)
  const from = (credentials: Credentials) => ({
    ...createHostClient({ ...api, credentials, pace }),
    // An Enterprise Server has the two APIs at `/api/v3` and `/api/graphql`.
    graphql: createHostClient({
      ...api,
      root: api.root.replace(/\/v3$/, ''),
      credentials,
      pace,
      readRefusal: refusalByGraphqlLimit,
    }),
  })
  if (access.kind === 'token') {
    return { ...from(tokenCredentials('Bearer', access.token)), app: null }
  }
  const app = createAppRequests(access.app, api)
  const { installationId } = access.app
  return {
    ...from(installationCredentials(access.app, app, clock)),
    app: { ...app, installationId },
  }
}
