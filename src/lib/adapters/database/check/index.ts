import { type ConnectionFinding, fails } from '../../../ports/connection-finding.ts'
import { checkPostgres, type DatabaseToCheck } from './postgres.ts'
import { checkSqlite } from './sqlite.ts'

/** Tries the database for `config check --connect`. Changes nothing in it. */
export async function checkDatabase(
  database: DatabaseToCheck,
): Promise<readonly ConnectionFinding[]> {
  if (/^postgres(?:ql)?:/.test(database.url)) return checkPostgres(database)
  if (database.url.startsWith('sqlite:')) return checkSqlite(database.url)
  return [fails('DATABASE_URL must begin with sqlite: or postgres:.')]
}
