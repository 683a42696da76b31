import { SQL } from 'bun'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import { ok, type Result } from '../../result.ts'
import { isLoopback } from '../../text/ip-address.ts'
import { unavailable } from './engine.ts'

export type PostgresTls = SQL.PostgresOrMySQLOptions['tls']

/** Parameters of a URL that choose TLS by name. An empty one chooses nothing. */
const TLS_NAMED = /[?&](?:sslmode|ssl|tls|sslrootcert)=[^&]/
const UNVERIFIED = /[?&](?:sslmode|ssl|tls)=(?:disable|allow|prefer|false|0|no)\b/i

/**
 * The TLS options of a connection. Every server but one on this host must prove its name, unless the URL names something weaker.
 * Throws the driver's error when the driver cannot read the URL.
 * @param ca certificates in PEM, which alone may sign the server's; `null`: those of the system
 */
export function tlsOf(url: string, ca: string | null): Result<PostgresTls, DatabaseFailure> {
  const onThisHost = isOnThisHost(url)
  // The driver does not read a fragment.
  const [parameters = ''] = url.split('#')
  if (ca !== null) {
    return UNVERIFIED.test(parameters)
      ? unavailable('the URL turns off the verification that DATABASE_CA_FILE is for')
      : ok({ ca, rejectUnauthorized: true })
  }
  if (TLS_NAMED.test(parameters)) return ok(undefined)
  return ok(onThisHost ? 'disable' : { rejectUnauthorized: true })
}

/** As the driver reads the URL: `host`, `path` and `socket` may also be parameters. */
function isOnThisHost(url: string): boolean {
  const { options } = new SQL(url)
  const { hostname, path } = { hostname: undefined, path: undefined, ...options }
  return path !== undefined || (hostname !== undefined && isLoopback(hostname))
}
