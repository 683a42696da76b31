import { SQL } from 'bun'
import { closeSync, fstatSync, mkdirSync, openSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import { ok, type Result } from '../../result.ts'
import { type Engine, refuse, settle, unavailable } from './engine.ts'
import { createPauses } from '../../concurrency/pauses.ts'

const PRAGMAS = [
  // The driver would wait for a lock without letting anything else in this process run.
  'busy_timeout = 0',
  'journal_mode = WAL',
  // An acknowledged session survives a power cut, which WAL's usual NORMAL does not promise.
  'synchronous = FULL',
  'foreign_keys = ON',
]

/** `sqlite:./file` or `sqlite::memory:`, for one replica. */
export async function openSqlite(url: string): Promise<Result<Engine, DatabaseFailure>> {
  const filename = url.replace(/^sqlite:(\/\/)?/, '')
  if (filename === '') return unavailable('the URL names no file')

  try {
    const file = filename === ':memory:' ? null : createPrivate(filename.replace(/\?.*$/, ''))
    const sql = new SQL({ adapter: 'sqlite', filename })
    for (const pragma of PRAGMAS) {
      const set = await whenUnlocked(() => settle(sql.unsafe(`PRAGMA ${pragma}`)))
      if (set.ok) continue
      await sql.close()
      return set
    }
    return ok(createEngine(sql, file))
  } catch (error) {
    return refuse(error)
  }
}

interface OpenFile {
  readonly path: string
  /** Number of the file, which another file of this path has not. */
  readonly inode: number
}

/** SQLite gives its -wal and -shm files the mode of the file itself, so the file comes first. */
function createPrivate(path: string): OpenFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const file = openSync(path, 'a', 0o600)
  const { ino: inode } = fstatSync(file)
  closeSync(file)
  return { path, inode }
}

/** SQLite goes on writing to a file that was removed or replaced, and all is lost at the next start. */
async function isInPlace({ path, inode }: OpenFile): Promise<Result<void, DatabaseFailure>> {
  const found = await settle(stat(path))
  if (!found.ok) return found
  return found.value.ino === inode ? ok(undefined) : unavailable('another file has its place')
}

/**
 * One connection: a statement during another call's transaction would join it, and roll back with it. A call that waits for another
 * process's lock holds up nobody; while that process writes, everything can be read.
 */
function createEngine(sql: SQL, file: OpenFile | null): Engine {
  const running: { transaction: Promise<void> | undefined } = { transaction: undefined }

  const idle = async (): Promise<void> => {
    while (running.transaction !== undefined) await running.transaction
  }

  const begin: <Value>(
    kind: 'immediate' | 'deferred',
    work: (sql: SQL) => Promise<Value>,
  ) => Promise<Result<Value, DatabaseFailure>> = (kind, work) =>
    whenUnlocked(async () => {
      await idle()
      const outcome = settle(sql.begin(kind, async (sql) => ({ value: await work(sql) })))
      const release = () => {
        running.transaction = undefined
      }
      running.transaction = outcome.then(release, release)
      const done = await outcome
      return done.ok ? ok(done.value.value) : done
    })

  return {
    isShared: false,
    dialect: {
      bytes: 'BLOB',
      int64: 'INTEGER',
      tableOptions: 'STRICT',
      columns: `SELECT m.name AS "table", c.name AS "column", c.type AS type
        FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'`,
    },

    run: (statement) =>
      whenUnlocked(async () => {
        await idle()
        return settle(statement(sql))
      }),

    // `BEGIN IMMEDIATE` takes the lock: a transaction that has begun meets no other.
    transaction: (_lock, work) => begin('immediate', work),
    transactionAtLength: (access, work) =>
      begin(access === 'read' ? 'deferred' : 'immediate', work),

    notices: { send: async () => false, receive: () => () => {} },

    isInPlace: async () => (file === null ? ok(undefined) : isInPlace(file)),

    close: () => sql.close(),
  }
}

/** Longest wait of a call for another process's lock. */
const WAIT_MS = 2000
const PAUSE_FIRST_MS = 2
const PAUSE_LONGEST_MS = 50

/** Tries again while another process locks the file. A refused attempt has changed nothing. */
async function whenUnlocked<Value>(
  attempt: () => Promise<Result<Value, DatabaseFailure>>,
): Promise<Result<Value, DatabaseFailure>> {
  const giveUpAt = performance.now() + WAIT_MS
  const pauses = createPauses(PAUSE_FIRST_MS, PAUSE_LONGEST_MS)
  for (;;) {
    const outcome = await attempt()
    if (outcome.ok || !outcome.error.reason.startsWith('SQLITE_BUSY')) return outcome
    if (performance.now() >= giveUpAt) return outcome
    await Bun.sleep(pauses.next())
  }
}
