import { Database, SQLiteError } from 'bun:sqlite'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type InstanceLock =
  { readonly kind: 'ours'; release(): void } | { readonly kind: 'taken'; readonly pid: string }

/**
 * One process per data directory. The lock is a write transaction that never commits, so the kernel gives it back however
 * the process ends; a file with a process id would be wrong after a crash as soon as the id is given to another process.
 * The id beside it is for the sentence to whoever comes second.
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
  return { kind: 'ours', release: () => database.close() }
}

function readPid(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return 'unknown'
  }
}
