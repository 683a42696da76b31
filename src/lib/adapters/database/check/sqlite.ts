import { constants as sqlite, Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type ConnectionFinding, fails, works } from '../../../ports/connection-finding.ts'
import { checkWritableFolder } from '../../../files/writable-folder.ts'
import { refuse } from '../engine.ts'
import { SCHEMA_VERSION } from '../schema.ts'
import { laterText } from './postgres.ts'

const READ_BY_URI = sqlite.SQLITE_OPEN_READONLY | sqlite.SQLITE_OPEN_URI

/** Only reads, so that it may run beside `serve`. */
export async function checkSqlite(url: string): Promise<readonly ConnectionFinding[]> {
  const file = url.replace(/^sqlite:(\/\/)?/, '').replace(/\?.*$/, '')
  if (file === ':memory:') return [fails('sqlite::memory: forgets everything at the end.')]
  const path = resolve(file)
  const folder = await checkWritableFolder(dirname(path), 'The SQLite database and its journal')
  return existsSync(path) ? [folder, await checkFile(path)] : [folder]
}

async function checkFile(path: string): Promise<ConnectionFinding> {
  try {
    await access(path, constants.R_OK | constants.W_OK)
    const version = readVersion(path)
    return version > SCHEMA_VERSION
      ? fails(laterText(`${path} is`, version))
      : works(`${path} can be read and written.`)
  } catch (error) {
    return fails(
      `${path} cannot be read and written as a SQLite database (${refuse(error).error.reason}).`,
    )
  }
}

function readVersion(path: string): number {
  // Opening makes a journal, which may then belong to another user than that of `serve`. Without a journal nobody has the file open.
  const mode = existsSync(`${path}-wal`) ? 'ro' : 'ro&immutable=1'
  using database = new Database(`file:${encodeURI(path)}?mode=${mode}`, READ_BY_URI)
  const has = database.query("SELECT 1 FROM sqlite_master WHERE name = 'schema_version'").get()
  if (has === null) return 0
  const newest = database
    .query<{ version: number | null }, []>('SELECT MAX(version) AS version FROM schema_version')
    .get()
  return newest?.version ?? 0
}
