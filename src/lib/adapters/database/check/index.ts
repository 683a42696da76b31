import type { ConnectionFinding } from '../../../ports/connection-finding.ts'
import { checkPostgres, type DatabaseToCheck } from './postgres.ts'
import { checkSqlite } from './sqlite.ts'

/** Tries the database for `config check --connect`. Changes nothing in it. */
export const checkDatabase = (database: DatabaseToCheck): Promise<readonly ConnectionFinding[]> =>
  database.url.startsWith('sqlite:') ? checkSqlite(database.url) : checkPostgres(database)
