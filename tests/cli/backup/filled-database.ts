import { KEPT_TABLES } from '#src/lib/adapters/database/rows.ts'
import { openDatabase, openEngine } from '#src/lib/adapters/database/index.ts'
import type { Engine } from '#src/lib/adapters/database/engine.ts'

export async function engineAt(url: string): Promise<Engine> {
  const engine = await openEngine(url)
  if (!engine.ok) throw new Error(engine.error.reason)
  return engine.value
}

/** More than one page of the table that grows most. */
const EVENTS = 1_203

/** Makes the tables of a database, with rows in every one. */
export async function fillDatabase(url: string): Promise<void> {
  const database = await openDatabase(url)
  if (!database.ok) throw new Error(database.error.reason)
  await database.value.close()
  const engine = await engineAt(url)
  const filled = await engine.transaction('test', async (sql) => {
    const found: readonly { table: string; column: string; type: string }[] = await sql.unsafe(
      engine.dialect.columns,
    )
    const tables = Map.groupBy(found, ({ table }) => table)
    const filledFirst = [...Object.keys(KEPT_TABLES), 'session', 'generation', 'rate_counter']
    for (const table of filledFirst) {
      const rows = Array.from({ length: table === 'run_event' ? EVENTS : 3 }, (_, index) =>
        Object.fromEntries(
          (tables.get(table) ?? []).map(({ column, type }) => [
            column,
            valueOf(column, type, index),
          ]),
        ),
      )
      await sql`INSERT INTO ${sql(table)} ${sql(rows)}`
    }
  })
  await engine.close()
  if (!filled.ok) throw new Error(filled.error.reason)
}

function valueOf(column: string, type: string, index: number): unknown {
  if (['code', 'holder', 'finished_at'].includes(column)) return null
  if (column === 'run_id') return 'id-0 é"\n'
  if (column === 'audit_id') return `id-${index} é"\n`
  if (column === 'seq') return index
  // A time in milliseconds needs more than 32 bits.
  if (['INTEGER', 'bigint'].includes(type)) return 1_790_000_000_000 + index
  if (['BLOB', 'bytea'].includes(type)) return Buffer.from([0, 255, index])
  return `${column}-${index} é"\n`
}

/** Every row of every table as text, sorted. */
export async function rowsAt(url: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const engine = await engineAt(url)
  const read = await engine.transactionAtLength('read', async (sql) => {
    const found: readonly { table: string }[] = await sql.unsafe(engine.dialect.columns)
    const rows = new Map<string, readonly string[]>()
    for (const table of new Set(found.map(({ table }) => table))) {
      const all = await sql<Record<string, unknown>[]>`SELECT * FROM ${sql(table)}`
      rows.set(table, all.map(asText).toSorted())
    }
    return rows
  })
  await engine.close()
  if (!read.ok) throw new Error(read.error.reason)
  return read.value
}

const asText = (row: Readonly<Record<string, unknown>>): string =>
  Object.entries(row)
    .map(([name, value]) => {
      const text = value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)
      return `${name}=${text}`
    })
    .toSorted()
    .join(' ')
