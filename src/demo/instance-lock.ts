import { Database, SQLiteError } from 'bun:sqlite'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type InstanceLock =
  { readonly kind: 'acquired'; release(): void } | { readonly kind: 'taken'; readonly pid: string }

/**
 * Allows one process per data directory. The lock is an SQLite write transaction that never commits: the kernel releases it
 * however the process ends. A pid file alone would be wrong after a crash; here it only serves the error message.
 */
export function lockInstance(directory: string): InstanceLock {
  const pidFile = join(directory, 'demo.pid')
  const database = new Database(join(directory, 'demo.lock'))
  try {
    database.run('BEGIN IMMEDIATE')
  } catch (error) {
    database.close()
    if (!(error instanceof SQLiteError && error.code?.startsWith('SQLITE_BUSY') === true))
      throw error
    return { kind: 'taken', pid: readPid(pidFile) }
  }
  writeFileSync(pidFile, `${process.pid}\n`)
  return { kind: 'acquired', release: () => database.close() }
}

function readPid(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return 'unknown'
  }
}
