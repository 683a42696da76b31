import type { Database } from '../../ports/database.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { Result } from '../../result.ts'
import { type Engine, unavailable } from './engine.ts'
import { openPostgres, type PostgresOptions } from './postgres.ts'
import { createSqlDatabase } from './sql.ts'
import { openSqlite } from './sqlite.ts'

type OpenEngine = (
  url: string,
  options: PostgresOptions,
) => Result<Engine, DatabaseFailure> | Promise<Result<Engine, DatabaseFailure>>

const engines = new Map<string, OpenEngine>([
  ['sqlite', openSqlite],
  ['postgres', openPostgres],
  ['postgresql', openPostgres],
])

/** Opens `sqlite:./path`, `sqlite::memory:` or `postgres://…`, and changes nothing there. */
export async function openEngine(
  url: string,
  { ca = null, listenUrl = null, onListening = () => {} }: Partial<PostgresOptions> = {},
): Promise<Result<Engine, DatabaseFailure>> {
  const open = engines.get(url.slice(0, Math.max(0, url.indexOf(':'))))
  if (open === undefined) return unavailable('the URL must begin with sqlite: or postgres:')
  return open(url, { ca, listenUrl, onListening })
}

/** Opens a database, and migrates its tables. */
export async function openDatabase(
  url: string,
  options: Partial<PostgresOptions> = {},
): Promise<Result<Database, DatabaseFailure>> {
  const engine = await openEngine(url, options)
  return engine.ok ? createSqlDatabase(engine.value) : engine
}
