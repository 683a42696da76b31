import type { ConnectionFinding } from '../../../ports/connection-finding.ts'
import type { DatabaseFailure } from '../../../ports/database/failure.ts'
import { checkPostgres } from './postgres.ts'
import { refusalText, checkDatabaseUrls, type DatabaseToCheck, namesIn } from './urls.ts'
import { checkSqlite } from './sqlite.ts'

export { checkDatabaseUrls }

/** A failure of the database at this URL as a sentence. */
export function databaseRefusal(url: string, failure: DatabaseFailure): string {
  const server = namesIn('DATABASE_URL', url)
  return url.startsWith('sqlite:') || !server.ok
    ? `DATABASE_URL: ${failure.reason}`
    : refusalText(failure, server.value)
}

/** Tries the database for `config check --connect`. Changes nothing in it. */
export const checkDatabase = (database: DatabaseToCheck): Promise<readonly ConnectionFinding[]> =>
  database.url.startsWith('sqlite:') ? checkSqlite(database.url) : checkPostgres(database)
