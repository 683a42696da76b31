import { SQL } from 'bun'
import type { DatabaseFailure } from '../../ports/database.ts'
import { ok, type Result } from '../../result.ts'
import { type Engine, refuse, settle, unavailable } from './engine.ts'

const CONNECTIONS_MAX = 10
const CONNECT_TIMEOUT_S = 1
const IDLE_CONNECTION_S = 60
const STATEMENT_TIMEOUT_MS = 1500
const ABANDONED_TRANSACTION_MS = 5000
/** For a whole call, including the wait for a connection: a frozen server never reaches its own timeouts. */
const DEADLINE_MS = 1900
const CLOSE_TIMEOUT_S = 2

interface Pool {
  readonly sql: SQL
  answeredAt: number
}

/** `postgres://…`, for one replica or several. Connects lazily, and reconnects after a restart of the server. */
export function openPostgres(url: string): Result<Engine, DatabaseFailure> {
  try {
    return ok(createEngine(() => ({ sql: connect(url), answeredAt: 0 })))
  } catch (error) {
    return refuse(error)
  }
}

const connect = (url: string) =>
  new SQL(url, {
    max: CONNECTIONS_MAX,
    connectionTimeout: CONNECT_TIMEOUT_S,
    idleTimeout: IDLE_CONNECTION_S,
    connection: {
      application_name: 'portico',
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: ABANDONED_TRANSACTION_MS,
    },
  })

function createEngine(open: () => Pool): Engine {
  let pool = open()

  async function call<Value>(
    work: (sql: SQL) => PromiseLike<Value>,
  ): Promise<Result<Value, DatabaseFailure>> {
    const used = pool
    const startedAt = performance.now()
    const deadline = Promise.withResolvers<undefined>()
    const timer = setTimeout(deadline.resolve, DEADLINE_MS)

    const answer = await Promise.race([settle(work(used.sql)), deadline.promise])
    clearTimeout(timer)
    if (answer !== undefined) {
      used.answeredAt = performance.now()
      return answer
    }
    abandon(used, startedAt)
    return unavailable(`no answer within ${DEADLINE_MS} ms`)
  }

  /** Replaces a pool that has answered nothing since `since`: its connections hang until the kernel gives up. */
  function abandon(used: Pool, since: number) {
    if (used !== pool || used.answeredAt > since) return
    pool = open()
    used.sql.close({ timeout: 0 }).catch(() => undefined)
  }

  return {
    dialect: { bytes: 'BYTEA', int64: 'BIGINT', tableOptions: '' },

    run: call,

    async transaction(lock, work) {
      const done = await call((sql) =>
        sql.begin(async (sql) => {
          await sql`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`
          return { value: await work(sql) }
        }),
      )
      return done.ok ? ok(done.value.value) : done
    },

    close: () => pool.sql.close({ timeout: CLOSE_TIMEOUT_S }),
  }
}
