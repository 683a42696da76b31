import type { Credential } from '../../../settings/credential.ts'
import { VERSION } from '../../../../version.ts'
import type { GitHostMeans } from '../means.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import { ok, type Result } from '../../../result.ts'
import type { HostClient } from '../hosted/api/client.ts'
import { createHostClient } from '../hosted/api/create-client.ts'
import { tokenCredentials } from '../hosted/api/credentials.ts'
import { createExchange } from '../hosted/api/exchange.ts'
import { createSender } from '../hosted/api/sender.ts'
import type { PostPack } from './push/receive-pack.ts'

/** A push carries a whole repository, and the server's hooks run before the answer. */
const PUSH_DEADLINE_MS = 20_000
const REPORT_MAX_BYTES = 1024 * 1024
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
  readonly postPack: PostPack
  /** The value of the `authorization` header, for assets. */
  readonly authorization: (signal: AbortSignal) => Promise<Result<string, GitFailure>>
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
  const send = createSender(options)
  return {
    client: createHostClient(options, send),
    authorization: (signal) => credentials.current(signal),
    postPack: ({ owner, name }, body) =>
      send({
        kind: 'write',
        deadlineMs: PUSH_DEADLINE_MS,
        take: ({ status, bytes }) => ok({ status, bytes }),
        exchange: (authorization, signal) =>
          exchange({
            method: 'POST',
            url: `${url}/${owner}/${name}.git/git-receive-pack`,
            headers: {
              'content-type': 'application/x-git-receive-pack-request',
              accept: 'application/x-git-receive-pack-result',
              authorization: basic(authorization),
            },
            body,
            maxBytes: REPORT_MAX_BYTES,
            followsRedirects: false,
            signal,
          }),
      }),
  }
}

/** Git's endpoints take the token as the password of anybody. */
const basic = (authorization: string): string =>
  `Basic ${Buffer.from(`portico:${authorization.slice(SCHEME.length + 1)}`).toString('base64')}`
