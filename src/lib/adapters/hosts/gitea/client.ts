import type { Credential } from '../../../settings/credential.ts'
import { VERSION } from '../../../../version.ts'
import type { GitHostMeans } from '../means.ts'
import type { HostClient } from '../hosted/api/client.ts'
import { createHostClient } from '../hosted/api/create-client.ts'
import { type Credentials, tokenCredentials } from '../hosted/api/credentials.ts'
import { createExchange } from '../hosted/api/exchange.ts'

const SCHEME = 'token'

export interface GiteaClientOptions extends Pick<GitHostMeans, 'clock' | 'log' | 'onRateLimit'> {
  /** Without a slash at its end. */
  readonly url: string
  readonly token: Credential
  /** PEM of the certificate authorities in place of the system's. */
  readonly authority: string | null
}

export interface GiteaClient {
  readonly client: HostClient
  readonly credentials: Credentials
}

export function createGiteaClient({
  url,
  token,
  authority,
  ...means
}: GiteaClientOptions): GiteaClient {
  const credentials = tokenCredentials(SCHEME, token)
  const exchange = createExchange(authority)
  const options = {
    root: `${url}/api/v1`,
    authority,
    exchange,
    headers: { accept: 'application/json', 'user-agent': `portico/${VERSION}` },
    credentials,
    ...means,
  }
  return { client: createHostClient(options), credentials }
}
