import { SQL } from 'bun'
import { type ConnectionFinding, fails, works } from '../../../ports/connection-finding.ts'
import { refuse } from '../engine.ts'
import { type PostgresTls, tlsOf } from '../postgres-tls.ts'
import { checkListening } from './listening.ts'
import { refusalText, type ServerNames } from './refusal.ts'
import { checkRights } from './rights.ts'
import { type DatabaseToCheck, namesIn, tlsFinding } from './urls.ts'

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
    return [fails(refusalText(refuse(error).error, server.value))]
  } finally {
    await sql?.close({ timeout: 0 }).catch(() => {})
  }
}
