import type { SQL } from 'bun'
import type { Clock } from '../../../ports/clock.ts'
import { type ConnectionFinding, fails, works } from '../../../ports/connection-finding.ts'
import { ADDITIONS, SCHEMA_VERSION, TABLES } from '../schema.ts'
import type { DatabaseAddress } from './address.ts'

/** PostgreSQL 13. Older ones get no fixes any more. */
const VERSION_MIN = 130_000
/** Processes write their own time into shared rows: leases and sessions allow for this much. */
const CLOCK_DIFFERENCE_MAX_MS = 5000

interface Server {
  readonly version: string
  readonly versionNumber: number
  readonly isStandby: boolean
  readonly isReadOnly: boolean
  readonly schema: string | null
  readonly mayCreate: boolean | null
  readonly hasTables: boolean
  readonly now: number
}

/** What the server is, and whether the role may do what `serve` does. Reads only. */
export async function checkRights(
  sql: SQL,
  at: DatabaseAddress,
  clock: Clock,
): Promise<readonly ConnectionFinding[]> {
  const [server] = await sql<Server[]>`
    SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
      current_setting('server_version_num')::int AS "versionNumber",
      pg_is_in_recovery() AS "isStandby",
      current_setting('transaction_read_only')::bool AS "isReadOnly",
      current_schema() AS schema,
      has_schema_privilege(current_schema(), 'CREATE') AS "mayCreate",
      to_regclass('schema_version') IS NOT NULL AS "hasTables",
      (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`
  if (server === undefined) return [fails(`PostgreSQL at ${at.server} gives no answer.`)]
  return [
    versionFinding(server, at),
    ...clockFindings(server.now - clock.now()),
    await writeFinding(sql, server, at),
  ]
}

const versionFinding = ({ version, versionNumber }: Server, at: DatabaseAddress) =>
  versionNumber >= VERSION_MIN
    ? works(`PostgreSQL ${version} answers at ${at.server}, as ${at.role}.`)
    : fails(`PostgreSQL ${version} at ${at.server} is too old: Portico needs 13 or later.`)

function clockFindings(differenceMs: number): readonly ConnectionFinding[] {
  if (Math.abs(differenceMs) <= CLOCK_DIFFERENCE_MAX_MS) return []
  const side = differenceMs > 0 ? 'behind' : 'ahead of'
  const seconds = Math.round(Math.abs(differenceMs) / 1000)
  return [fails(`The clock of this machine is ${seconds} s ${side} that of the database server.`)]
}

async function writeFinding(
  sql: SQL,
  { isStandby, isReadOnly, schema, mayCreate, hasTables }: Server,
  { role, server }: DatabaseAddress,
): Promise<ConnectionFinding> {
  if (isStandby) return fails(`${server} is a standby, which cannot be written to.`)
  if (isReadOnly) {
    return fails(`Nothing can be written as ${role}: default_transaction_read_only is on.`)
  }
  if (schema === null) return fails(`The search_path of ${role} names no schema that exists.`)
  if (!hasTables) {
    return mayCreate === true
      ? works(`The schema ${schema} has no tables of Portico yet; the first start makes them.`)
      : fails(mayNotCreate(role, schema))
  }
  return tablesFinding(sql, role, schema, mayCreate === true)
}

interface TableRights {
  readonly name: string
  readonly mayWrite: boolean
  readonly isOwner: boolean
}

async function tablesFinding(
  sql: SQL,
  role: string,
  schema: string,
  mayCreate: boolean,
): Promise<ConnectionFinding> {
  const tables = await sql<TableRights[]>`
    SELECT relname AS name,
      has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
        AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE') AS "mayWrite",
      pg_has_role(relowner, 'USAGE') AS "isOwner"
    FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
    ORDER BY relname`
  const ours = tables.filter(({ name }) => TABLES.includes(name))
  const closed = ours.filter(({ mayWrite }) => !mayWrite).map(({ name }) => name)
  if (closed.length > 0) {
    return fails(
      `${role} may not read and write these tables of the schema ${schema}: ${closed.join(', ')}. GRANT SELECT, INSERT, UPDATE, DELETE.`,
    )
  }
  const [newest] = await sql<{ version: number | null }[]>`
    SELECT MAX(version)::int AS version FROM schema_version`
  const version = newest?.version ?? 0
  if (version > SCHEMA_VERSION) {
    return fails(
      `The tables are of a later Portico (schema ${version}; this one has ${SCHEMA_VERSION}): use that version, or restore a backup.`,
    )
  }
  const foreign = ours.filter(({ isOwner }) => !isOwner).map(({ name }) => name)
  const isPending = version < SCHEMA_VERSION || (await lacksAdditions(sql))
  if (isPending && foreign.length > 0) {
    return fails(
      `The first start of this version changes the tables, and ${role} does not own them: ${foreign.join(', ')}.`,
    )
  }
  if (isPending) {
    return mayCreate
      ? works(`The first start of this version changes the tables in the schema ${schema}.`)
      : fails(mayNotCreate(role, schema))
  }
  return works(`${role} may read and write the tables in the schema ${schema}.`)
}

/** Additions are recorded apart: an older version runs with them. */
async function lacksAdditions(sql: SQL): Promise<boolean> {
  const [found] = await sql<{ has: boolean }[]>`
    SELECT to_regclass('schema_addition') IS NOT NULL AS has`
  if (found?.has !== true) return true
  const rows = await sql<{ name: string }[]>`SELECT name FROM schema_addition`
  return !ADDITIONS.every((addition) => rows.some(({ name }) => name === addition))
}

const mayNotCreate = (role: string, schema: string) =>
  `${role} may not make tables in the schema ${schema}: GRANT CREATE ON SCHEMA.`
