import type { SQL } from 'bun'
import { parseJson } from '../../text/json.ts'
import { type Dialect, refuse } from './engine.ts'
import { createTables, type SchemaState } from './schema.ts'

/** Tables of a backup with their primary keys. A table comes after those that it refers to. */
export const KEPT_TABLES: Readonly<Record<string, readonly string[]>> = {
  run: ['id'],
  run_event: ['run_id', 'seq'],
  audit: ['id'],
  audit_address: ['audit_id'],
  audit_via: ['audit_id'],
  secret_write: ['path'],
  secret_version: ['path', 'version'],
  moved_secret_file: ['path', 'version'],
  pull_request_asker: ['repository', 'number', 'opened_at'],
  deploy_token: ['id'],
  used_token: ['id'],
}

/** Sign-ins, which end with a restore, and what is counted or noted for minutes. */
export const LEFT_OUT_TABLES: readonly string[] = [
  'session',
  'grant_token',
  'generation',
  'rate_counter',
  'write_turn',
  'last_done',
  'ping',
  'proposal',
  'schema_version',
  'schema_addition',
]

const PAGE_ROWS = 500

type Row = Record<string, unknown>
type Kind = 'text' | 'integer' | 'bytes'
/** By table and column. */
export type Columns = ReadonlyMap<string, ReadonlyMap<string, Kind>>

const isOf: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  integer: Number.isSafeInteger,
  bytes: (value) => typeof value === 'string',
}
/** A required value that is missing, a key that is there twice, a text with a NUL on PostgreSQL (SQLSTATE classes 22 and 23). */
const REFUSED_ROW = /^SQLITE_CONSTRAINT| 2[23]\w{3}$/

const KINDS: Readonly<Record<string, Kind>> = {
  INTEGER: 'integer',
  bigint: 'integer',
  BLOB: 'bytes',
  bytea: 'bytes',
}

async function readColumns(sql: SQL, dialect: Dialect): Promise<Columns> {
  const found: readonly Readonly<Record<'table' | 'column' | 'type', string>>[] = await sql.unsafe(
    dialect.columns,
  )
  const kindsOf = (rows: typeof found) =>
    new Map(rows.map(({ column, type }) => [column, KINDS[type] ?? 'text']))
  const tables = Map.groupBy(found, ({ table }) => table)
  return new Map([...tables].map(([table, rows]) => [table, kindsOf(rows)]))
}

/** `null` for a database without our tables. */
export async function readSchema(sql: SQL, dialect: Dialect): Promise<SchemaState | null> {
  const columns = await readColumns(sql, dialect)
  if (!columns.has('schema_version')) return null
  const [newest] = await sql<{ version: number | string | null }[]>`
    SELECT MAX(version) AS version FROM schema_version`
  const additions = columns.has('schema_addition')
    ? await sql<{ name: string }[]>`SELECT name FROM schema_addition ORDER BY name`
    : []
  return {
    version: Number(newest?.version ?? 0),
    additions: additions.map(({ name }) => name),
  }
}

/** The tables of a backup that are there, each as lines of JSON, and the ids of the keys that seal their rows. */
export async function readTables(sql: SQL, dialect: Dialect) {
  const columns = await readColumns(sql, dialect)
  const keyIds = new Set<string>()
  for (const table of ['secret_version', 'secret_write'].filter((name) => columns.has(name))) {
    const rows = await sql<{ key_id: string }[]>`SELECT DISTINCT key_id FROM ${sql(table)}`
    for (const { key_id: id } of rows) keyIds.add(id)
  }
  const tables = Object.entries(KEPT_TABLES).flatMap(([name, key]) => {
    const kinds = columns.get(name)
    return kinds === undefined ? [] : [{ name, lines: readLines(sql, name, key, kinds) }]
  })
  return { keyIds: [...keyIds].toSorted(), tables }
}

async function* readLines(
  sql: SQL,
  table: string,
  key: readonly string[],
  kinds: ReadonlyMap<string, Kind>,
): AsyncGenerator<string, void, void> {
  const order = `(${key.join(', ')})`
  const after = `WHERE ${order} > (${key.map((_, index) => `$${index + 1}`).join(', ')})`
  const pageAfter = (last: Row | undefined): Promise<readonly Row[]> =>
    sql.unsafe(
      `SELECT * FROM ${table} ${last ? after : ''} ORDER BY ${key.join(', ')} LIMIT ${PAGE_ROWS}`,
      last ? key.map((column) => numbered(last[column], kinds.get(column))) : [],
    )
  let page = await pageAfter(undefined)
  while (page.length > 0) {
    yield page.map((row) => `${JSON.stringify(rendered(row, kinds))}\n`).join('')
    page = page.length < PAGE_ROWS ? [] : await pageAfter(page.at(-1))
  }
}

/** PostgreSQL's driver gives 64-bit integers as text. */
const numbered = (value: unknown, kind: Kind | undefined): unknown =>
  kind === 'integer' && value !== null ? Number(value) : value

const rendered = (row: Row, kinds: ReadonlyMap<string, Kind>): Row =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      value instanceof Uint8Array
        ? new Uint8Array(value).toBase64()
        : numbered(value, kinds.get(column)),
    ]),
  )

/** Makes the tables as they were, in the transaction that fills them. The next start migrates them. */
export async function makeTables(
  sql: SQL,
  dialect: Dialect,
  schema: SchemaState,
): Promise<Columns> {
  const additions = [...new Set([...schema.additions, 'last_done'])]
  await createTables(sql, dialect, { ...schema, additions })
  return readColumns(sql, dialect)
}

/** Inserts lines of `readTables`; `false` when one of them is not a row of the table. */
export async function insertLines(
  sql: SQL,
  columns: Columns,
  table: string,
  lines: readonly string[],
): Promise<boolean> {
  const kinds = columns.get(table)
  const rows = lines.map((line) => (kinds === undefined ? undefined : parsed(line, kinds)))
  if (!rows.every((row) => row !== undefined)) return false
  try {
    for (let start = 0; start < rows.length; start += PAGE_ROWS) {
      await sql`INSERT INTO ${sql(table)} ${sql(rows.slice(start, start + PAGE_ROWS))}`
    }
    return true
  } catch (error) {
    if (REFUSED_ROW.test(refuse(error).error.reason)) return false
    throw error
  }
}

function parsed(line: string, kinds: ReadonlyMap<string, Kind>): Row | undefined {
  const row = parseJson(line)
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return undefined
  const values: [string, unknown][] = Object.entries(row)
  const isTaken = values.every(([column, value]) => {
    const kind = kinds.get(column)
    return kind !== undefined && (value === null || isOf[kind](value))
  })
  if (values.length === 0 || !isTaken) return undefined
  return Object.fromEntries(
    values.map(([column, value]) => [
      column,
      kinds.get(column) === 'bytes' && typeof value === 'string'
        ? Buffer.from(value, 'base64')
        : value,
    ]),
  )
}

/** Notes when something was done last, in milliseconds since the Unix epoch. */
export async function noteLastDone(
  sql: SQL,
  name: 'backup' | 'restore',
  at: number,
): Promise<void> {
  await sql`
    INSERT INTO last_done (name, at) VALUES (${name}, ${at})
    ON CONFLICT (name) DO UPDATE SET at = excluded.at`
}

export async function readLastDone(sql: SQL, name: 'backup' | 'restore'): Promise<number | null> {
  const [row] = await sql<{ at: number | string }[]>`SELECT at FROM last_done WHERE name = ${name}`
  return row === undefined ? null : Number(row.at)
}
