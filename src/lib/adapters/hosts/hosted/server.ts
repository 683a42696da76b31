import { VERSION } from '../../../../version.ts'
import { createHostClient } from './api/create-client.ts'
import { tokenCredentials } from './api/credentials.ts'
import type { ServerOptions } from './server-kind.ts'

/** `api`: path of the API below the URL. `scheme`: that of the `authorization` header. */
export function createServerClient(
  { url, token, authority, clock, log, onRateLimit }: ServerOptions,
  api: string,
  scheme: string,
) {
  return createHostClient({
    root: `${url}${api}`,
    authority,
    headers: { accept: 'application/json', 'user-agent': `portico/${VERSION}` },
    credentials: tokenCredentials(scheme, token),
    clock,
    log,
    onRateLimit,
  })
}
