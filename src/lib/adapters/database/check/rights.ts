import type { SQL } from 'bun'
import { type ConnectionFinding, fails, works } from '../../../ports/connection-finding.ts'
import { SCHEMA_VERSION } from '../schema.ts'
import type { ServerNames } from './refusal.ts'

/** PostgreSQL 13. Older versions get no fixes any more. */
const VERSION_MIN = 130_000

interface Server {
  readonly version: string
  readonly versionNumber: number
  readonly isReadOnly: boolean
  readonly schema: string | null
  readonly mayCreate: boolean | null
  /** `null`: there are no tables yet. */
  readonly isOwner: boolean | null
}

/** The version of the server, and whether the role may do what `serve` does. Reads only. */
export async function checkRights(
  sql: SQL,
  names: ServerNames,
): Promise<readonly ConnectionFinding[]> {
  const [found] = await sql<Server[]>`
    SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
      current_setting('server_version_num')::int AS "versionNumber",
      current_setting('transaction_read_only')::bool AS "isReadOnly",
      current_schema() AS schema,
      has_schema_privilege(current_schema(), 'CREATE') AS "mayCreate",
      (SELECT pg_has_role(relowner, 'USAGE') FROM pg_class
        WHERE oid = to_regclass('schema_version')) AS "isOwner"`
  if (found === undefined) return [fails(`PostgreSQL at ${names.server} gives no answer.`)]
  const { version, versionNumber } = found
  return [
    versionNumber >= VERSION_MIN
      ? works(`PostgreSQL ${version} answers at ${names.server}, as ${names.role}.`)
      : fails(`PostgreSQL ${version} at ${names.server} is too old: Portico needs 13 or later.`),
    await tablesFinding(sql, found, names),
  ]
}

/** Every start makes missing tables, and the first start of a version may change them, so the role must own them. */
async function tablesFinding(
  sql: SQL,
  { isReadOnly, schema, mayCreate, isOwner }: Server,
  { role, server }: ServerNames,
): Promise<ConnectionFinding> {
  if (isReadOnly) {
    return fails(
      `Nothing can be written at ${server}: it is a standby, or default_transaction_read_only is on for ${role}.`,
    )
  }
  if (schema === null) return fails(`The search_path of ${role} names no schema that exists.`)
  if (mayCreate !== true) {
    return fails(`${role} may not make tables in the schema ${schema}: GRANT CREATE ON SCHEMA.`)
  }
  if (isOwner === null) {
    return works(`The schema ${schema} has no tables of Portico yet; the first start makes them.`)
  }
  if (!isOwner) {
    return fails(
      `${role} does not own the tables in the schema ${schema}: ALTER TABLE … OWNER TO ${role}.`,
    )
  }
  const [newest] = await sql<{ version: number | null }[]>`
    SELECT MAX(version)::int AS version FROM schema_version`
  const version = newest?.version ?? 0
  return version > SCHEMA_VERSION
    ? fails(
        `The tables are of a later Portico (schema ${version}; this one has ${SCHEMA_VERSION}): use that version, or restore a backup.`,
      )
    : works(`${role} may read, write and change the tables in the schema ${schema}.`)
}
