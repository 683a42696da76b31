import { join } from 'node:path'
import type { Config } from './config.ts'
import { systemClock } from '../lib/ports/clock.ts'
import { ok, type Result } from '../lib/result.ts'
import { readAuthorityFile } from '../lib/settings/authority-file.ts'
import { readText } from '../lib/settings/watched-files.ts'

/** The URL of the database, by default SQLite in the data directory. */
export const databaseUrl = ({
  DATABASE_URL,
  DATA_DIR,
}: Pick<Config, 'DATABASE_URL' | 'DATA_DIR'>): string =>
  DATABASE_URL || `sqlite:${join(DATA_DIR, 'portico.sqlite')}`

/** The certificates of DATABASE_CA_FILE. */
export function readDatabaseAuthority({
  DATABASE_CA_FILE: path,
}: Pick<Config, 'DATABASE_CA_FILE'>): Result<string | null, string> {
  return path === null
    ? ok(null)
    : readAuthorityFile('DATABASE_CA_FILE', path, readText, systemClock.now())
}
