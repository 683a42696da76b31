import type { ConnectionFinding } from '../../../ports/connection-finding.ts'
import { checkPostgres } from './postgres.ts'
import { checkSqlite } from './sqlite.ts'
import { checkDatabaseUrls, type DatabaseToCheck } from './urls.ts'

export { checkDatabaseUrls }

/** Tries the database for `config check --connect`. Changes nothing in it. */
export const checkDatabase = (database: DatabaseToCheck): Promise<readonly ConnectionFinding[]> =>
  database.url.startsWith('sqlite:') ? checkSqlite(database.url) : checkPostgres(database)
