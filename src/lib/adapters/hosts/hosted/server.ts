import { VERSION } from '../../../../version.ts'
import type { GitHost } from '../../../ports/git-host.ts'
import type { Credential } from '../../../settings/credential.ts'
import type { GitHostContext } from '../context.ts'
import { createHostClient } from './api/create-client.ts'
import { tokenCredentials } from './api/credentials.ts'
import type { HostedOptions } from './hosted.ts'
import { createHosted, type HostTable } from './index.ts'

/** Options of an adapter for a server that takes an access token. */
export interface ServerOptions
  extends Omit<HostedOptions, 'client' | 'webUrl'>, Pick<GitHostContext, 'onRateLimit'> {
  /** The server's URL, without a slash at its end. */
  readonly url: string
  readonly token: Credential
  /** PEM of the certificate authorities in place of the system's. */
  readonly authority: string | null
}

interface ServerTable extends HostTable {
  /** Path of the API below the URL. */
  readonly api: string
  /** Scheme of the `authorization` header. */
  readonly scheme: string
}

/** A host with one URL for its pages, its API and git. */
export function createServer(options: ServerOptions, table: ServerTable): GitHost {
  const { url, token, authority, clock, log, onRateLimit } = options
  const client = createHostClient({
    root: `${url}${table.api}`,
    authority,
    headers: { accept: 'application/json', 'user-agent': `portico/${VERSION}` },
    credentials: tokenCredentials(table.scheme, token),
    clock,
    log,
    onRateLimit,
  })
  return createHosted({ ...options, client, webUrl: url }, table)
}
