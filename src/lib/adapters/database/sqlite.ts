import { SQL } from 'bun'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import { ok, type Result } from '../../result.ts'
import { type Engine, refuse, settle, unavailable } from './engine.ts'

const BUSY_TIMEOUT_MS = 2000

/** `sqlite:./file` or `sqlite::memory:`, for one replica. A call blocks the process while another process locks the file. */
export async function openSqlite(url: string): Promise<Result<Engine, DatabaseFailure>> {
  const filename = url.replace(/^sqlite:(\/\/)?/, '')
  if (filename === '') return unavailable('the URL names no file')

  try {
    if (filename !== ':memory:') createPrivate(filename.replace(/\?.*$/, ''))
    const sql = new SQL({ adapter: 'sqlite', filename })
    // FULL: an acknowledged session survives a power cut, which WAL's usual NORMAL does not promise.
    await sql.unsafe(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    await sql.unsafe('PRAGMA journal_mode = WAL')
    await sql.unsafe('PRAGMA synchronous = FULL')
    await sql.unsafe('PRAGMA foreign_keys = ON')
    return ok(createEngine(sql))
  } catch (error) {
    return refuse(error)
  }
}

/** SQLite gives its -wal and -shm files the mode of the file itself, so the file comes first. */
function createPrivate(file: string) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
}

/** One connection: a statement during another call's transaction would join it, and roll back with it. */
function createEngine(sql: SQL): Engine {
  const running: { transaction: Promise<void> | undefined } = { transaction: undefined }

  return {
    dialect: { bytes: 'BLOB', int64: 'INTEGER', tableOptions: 'STRICT' },

    async run(statement) {
      while (running.transaction !== undefined) await running.transaction
      return settle(statement(sql))
    },

    async transaction(_lock, work) {
      while (running.transaction !== undefined) await running.transaction
      const outcome = settle(sql.begin('immediate', async (sql) => ({ value: await work(sql) })))
      const release = () => {
        running.transaction = undefined
      }
      running.transaction = outcome.then(release, release)
      const done = await outcome
      return done.ok ? ok(done.value.value) : done
    },

    notices: { send: async () => false, receive: () => () => {} },

    close: () => sql.close(),
  }
}
