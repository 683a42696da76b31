import { SQL } from 'bun'
import { randomBytes } from 'node:crypto'
import { inTime } from '../../../concurrency/in-time.ts'
import { type ConnectionFinding, fails, works } from '../../../ports/connection-finding.ts'
import { refuse } from '../engine.ts'
import { tlsOf } from '../postgres-tls.ts'
import { SCHEMA_VERSION } from '../schema.ts'
import { refusalText, type ServerNames, type DatabaseToCheck, namesIn, tlsFinding } from './urls.ts'

const CONNECT_TIMEOUT_S = 3
const NOTICE_TIMEOUT_MS = 2000
/** Serve checks again and again: a connection whose server answers nothing must not stay. */
const ANSWER_TIMEOUT_MS = 8000
/** PostgreSQL 13. Older versions get no fixes any more. */
const VERSION_MIN = 130_000

export function checkPostgres(
  { url, listenUrl, authority }: DatabaseToCheck,
  answerMs = ANSWER_TIMEOUT_MS,
): Promise<readonly ConnectionFinding[]> {
  const check: Check = async (sql, server, tls) => [
    await rightsFinding(sql, server),
    tls,
    ...(listenUrl === null
      ? [
          works(
            'Without DATABASE_LISTEN_URL replicas learn of changes within a second. With it, leading to the server itself and not to a pooler, they learn of them at once.',
          ),
        ]
      : await connected('DATABASE_LISTEN_URL', listenUrl, authority, answerMs, async (listener) => [
          await noticeFinding(sql, listener),
        ])),
  ]
  return connected('DATABASE_URL', url, authority, answerMs, check)
}

type Check = (
  sql: SQL,
  server: ServerNames,
  tls: ConnectionFinding,
) => Promise<readonly ConnectionFinding[]>

/** Runs a check with a connection. An error of the driver is one finding. */
async function connected(
  variable: string,
  url: string,
  authority: string | null,
  answerMs: number,
  check: Check,
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
    const findings = check(sql, server.value, tlsFinding(url, tls.value, server.value))
    return await inTime(findings, answerMs, [
      fails(`${variable}: PostgreSQL at ${server.value.server} does not answer in time.`),
    ])
  } catch (error) {
    return [fails(refusalText(refuse(error).error, server.value))]
  } finally {
    await sql?.close({ timeout: 0 }).catch(() => {})
  }
}

interface Server {
  readonly version: string
  readonly versionNumber: number
  readonly isReadOnly: boolean
  readonly schema: string | null
  readonly mayCreate: boolean | null
  /** `null`: there are no tables yet. */
  readonly isOwner: boolean | null
}

/**
 * The first thing that `serve` needs and the role or the server lacks. Every start makes missing tables, and the first start of a version
 * may change them, so the role must own them. Reads only.
 */
async function rightsFinding(sql: SQL, { role, server }: ServerNames): Promise<ConnectionFinding> {
  const [found] = await sql<Server[]>`
    SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
      current_setting('server_version_num')::int AS "versionNumber",
      current_setting('transaction_read_only')::bool AS "isReadOnly",
      current_schema() AS schema,
      has_schema_privilege(current_schema(), 'CREATE') AS "mayCreate",
      (SELECT pg_has_role(relowner, 'USAGE') FROM pg_class
        WHERE oid = to_regclass('schema_version')) AS "isOwner"`
  if (found === undefined) return fails(`PostgreSQL at ${server} gives no answer.`)
  const { version, versionNumber, isReadOnly, schema, mayCreate, isOwner } = found
  const at = `PostgreSQL ${version} at ${server}`
  if (versionNumber < VERSION_MIN) return fails(`${at} is too old: Portico needs 13 or later.`)
  if (isReadOnly) {
    return fails(
      `${at} takes no writes: it is a standby, or default_transaction_read_only is on for ${role}.`,
    )
  }
  if (mayCreate !== true) {
    return fails(
      `${role} may not make tables in ${schema === null ? 'a schema of its search_path' : `the schema ${schema}: GRANT CREATE ON SCHEMA`}.`,
    )
  }
  if (isOwner === false) {
    return fails(
      `${role} does not own the tables in the schema ${schema}: ALTER TABLE … OWNER TO ${role}.`,
    )
  }
  const [newest] =
    isOwner === null
      ? []
      : await sql<
          { version: number | null }[]
        >`SELECT MAX(version)::int AS version FROM schema_version`
  const tables = newest?.version ?? 0
  return tables > SCHEMA_VERSION
    ? fails(laterText('The tables are', tables))
    : works(`${role} may read, write and change tables in the schema ${schema} of ${at}.`)
}

export const laterText = (what: string, version: number): string =>
  `${what} of a later Portico (schema ${version}; this one has ${SCHEMA_VERSION}): use that version, or restore a backup.`

/**
 * Whether replicas learn of changes at once. A pooler in transaction mode accepts `LISTEN` and loses the notifications, so only one
 * that arrives is proof; it also proves that both URLs lead to the same database.
 */
async function noticeFinding(sql: SQL, listener: SQL): Promise<ConnectionFinding> {
  const channel = `portico_check_${randomBytes(8).toString('hex')}`
  const heard = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => heard.resolve(false), NOTICE_TIMEOUT_MS)
  const subscription = await listener.listen(channel, () => heard.resolve(true))
  try {
    await sql`SELECT pg_notify(${channel}, '')`
    return (await heard.promise)
      ? works('Notifications reach DATABASE_LISTEN_URL: replicas learn of changes at once.')
      : fails(
          'Notifications do not reach DATABASE_LISTEN_URL. It must lead to the database of DATABASE_URL, and to the server itself: a pooler in transaction mode loses them.',
        )
  } finally {
    clearTimeout(timer)
    await subscription.unlisten()
  }
}
