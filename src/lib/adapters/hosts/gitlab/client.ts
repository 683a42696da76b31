import { VERSION } from '../../../../version.ts'
import type { RepositoryId } from '../../../names.ts'
import type { Credential } from '../../../settings/credential.ts'
import { createHostClient } from '../hosted/api/create-client.ts'
import { tokenCredentials } from '../hosted/api/credentials.ts'
import { createExchange } from '../hosted/api/exchange.ts'
import { nameOf } from '../hosted/known-repositories.ts'
import type { GitHostMeans } from '../means.ts'

/** Personal, project and group access tokens are taken like tokens of OAuth. */
const SCHEME = 'Bearer'
export const API = '/api/v4'

export interface GitLabClientOptions extends Pick<GitHostMeans, 'clock' | 'log' | 'onRateLimit'> {
  /** Without a slash at its end. */
  readonly url: string
  readonly token: Credential
  /** PEM of the certificate authorities in place of the system's. */
  readonly authority: string | null
}

export function createGitLabClient({ url, token, authority, ...means }: GitLabClientOptions) {
  const credentials = tokenCredentials(SCHEME, token)
  const client = createHostClient({
    root: `${url}${API}`,
    exchange: createExchange(authority),
    headers: { accept: 'application/json', 'user-agent': `portico/${VERSION}` },
    credentials,
    ...means,
  })
  return { client, credentials }
}

/** GitLab takes a full path as one segment. */
export const segment = (path: string): string => encodeURIComponent(path)

export const projectPath = (repository: RepositoryId): string =>
  `/projects/${segment(nameOf(repository))}`
