import { SQL } from 'bun'
import { type ConnectionFinding, fails, works } from '../../../ports/connection-finding.ts'
import { err, ok, type Result } from '../../../result.ts'
import { type PostgresTls, tlsOf } from '../postgres-tls.ts'
import { checkListening } from './listening.ts'
import { refusalText, type ServerNames } from './refusal.ts'
import { checkRights } from './rights.ts'

export interface DatabaseToCheck {
  /** `DATABASE_URL`. */
  readonly url: string
  /** `DATABASE_LISTEN_URL`. */
  readonly listenUrl: string | null
  /** The authority of `DATABASE_CA_FILE`, in PEM. */
  readonly authority: string | null
}

const CONNECT_TIMEOUT_S = 3

export function checkPostgres({
  url,
  listenUrl,
  authority,
}: DatabaseToCheck): Promise<readonly ConnectionFinding[]> {
  return connected('DATABASE_URL', url, authority, async (sql, server, tls) => [
    ...(await checkRights(sql, server)),
    tlsFinding(url, tls, server),
    ...(listenUrl === null
      ? [
          works(
            'Without DATABASE_LISTEN_URL replicas learn of changes within a second. With it, leading to the server itself and not to a pooler, they learn of them at once.',
          ),
        ]
      : await connected('DATABASE_LISTEN_URL', listenUrl, authority, async (listener) => [
          await checkListening(sql, listener),
        ])),
  ])
}

/** Runs a check with a connection. An error of the driver is one finding. */
async function connected(
  variable: string,
  url: string,
  authority: string | null,
  check: (sql: SQL, server: ServerNames, tls: PostgresTls) => Promise<readonly ConnectionFinding[]>,
): Promise<readonly ConnectionFinding[]> {
  const server = namesIn(variable, url)
  if (!server.ok) return [fails(server.error)]
  let sql: SQL | undefined
  try {
    const tls = tlsOf(url, authority)
    if (!tls.ok) return [fails(`${variable}: ${tls.error.reason}.`)]
    sql = new SQL(url, {
      max: 1,
      prepare: false,
      connectionTimeout: CONNECT_TIMEOUT_S,
      ...(tls.value !== undefined && { tls: tls.value }),
    })
    return await check(sql, server.value, tls.value)
  } catch (error) {
    return [fails(refusalText(error, server.value))]
  } finally {
    await sql?.close({ timeout: 0 }).catch(() => {})
  }
}

function namesIn(variable: string, text: string): Result<ServerNames, string> {
  const url = URL.parse(text)
  if (url === null) return err(`${variable} is not a URL.`)
  const server = `${url.hostname || 'localhost'}:${url.port || '5432'}`
  return ok({ variable, server, role: url.username, database: url.pathname.slice(1) })
}

/** Whether passwords and sessions are encrypted on their way. */
function tlsFinding(url: string, tls: PostgresTls, { server }: ServerNames): ConnectionFinding {
  const mode = new URL(url).searchParams.get('sslmode') ?? ''
  if (tls === 'disable') {
    return works('The connection is not encrypted; it does not leave this machine.')
  }
  if (tls !== undefined || mode.startsWith('verify-')) {
    return works(`The connection to ${server} is encrypted, and its certificate is checked.`)
  }
  return works(
    mode === 'require'
      ? `The connection to ${server} is encrypted, but its certificate is not checked: DATABASE_CA_FILE or sslmode=verify-full checks it.`
      : `The connection to ${server} may be unencrypted, as DATABASE_URL allows: sslmode=verify-full encrypts it and checks the certificate.`,
  )
}
