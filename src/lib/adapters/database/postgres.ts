import { SQL } from 'bun'
import { createFair } from '../../concurrency/fair.ts'
import { currentPerson, stepAside } from '../../concurrency/on-behalf-of.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import { ok, type Result } from '../../result.ts'
import { type Engine, refuse, SCHEMA_LOCK, settle, unavailable } from './engine.ts'
import { listenForNotices } from './postgres-notices.ts'
import { tlsOf } from './postgres-tls.ts'

const CONNECTIONS_MAX = 10
const CONNECT_TIMEOUT_S = 1
const IDLE_CONNECTION_S = 60
const STATEMENT_TIMEOUT_MS = 1500
const ABANDONED_TRANSACTION_MS = 5000
/** For a whole call, including the wait for a connection: a frozen server never reaches its own timeouts. */
const DEADLINE_MS = 1900
const CLOSE_TIMEOUT_S = 2
/** A database that is read-only for good is not asked for new connections at each write. */
const STANDBY_LEFT_EVERY_MS = 1000
const CHANNEL = 'portico'

export interface PostgresOptions {
  /** Certificates in PEM that alone may sign the server's. */
  readonly ca: string | null
  /** URL of a direct connection for LISTEN, which a pooler in transaction mode loses. */
  readonly listenUrl: string | null
  /** Called when listening begins, with `null`, and when it fails, with the driver's code. */
  readonly onListening: (failure: string | null) => void
}

interface Pool {
  readonly sql: SQL
  readonly openedAt: number
  /** When it was opened, before its first answer. */
  answeredAt: number
}

/**
 * `postgres://…`, for one replica or several, directly or through a pooler in transaction mode: no prepared statements, no settings of
 * the connection, no session locks. Connects lazily, and reconnects after a restart of the server.
 */
export function openPostgres(
  url: string,
  { ca, listenUrl, onListening }: PostgresOptions,
): Result<Engine, DatabaseFailure> {
  try {
    const open = connector(url, ca)
    if (!open.ok) return open
    const openListener = listenUrl === null ? ok(null) : connector(listenUrl, ca)
    if (!openListener.ok) return openListener
    return ok(createEngine(open.value, openListener.value, onListening))
  } catch (error) {
    return refuse(error)
  }
}

type Connect = (options: Pick<SQL.PostgresOrMySQLOptions, 'max' | 'idleTimeout' | 'onclose'>) => SQL

function connector(url: string, ca: string | null): Result<Connect, DatabaseFailure> {
  const tls = tlsOf(url, ca)
  if (!tls.ok) return tls
  return ok(
    (options) =>
      new SQL(url, {
        ...options,
        ...(tls.value !== undefined && { tls: tls.value }),
        prepare: false,
        connectionTimeout: CONNECT_TIMEOUT_S,
        connection: { application_name: 'portico' },
      }),
  )
}

/** Ended by this process, without a word of the server. */
const UNANSWERED: readonly string[] = [
  'ERR_POSTGRES_CONNECTION_TIMEOUT',
  'ERR_POSTGRES_QUERY_CANCELLED',
]
const isUnanswered = (answer: Result<unknown, DatabaseFailure>): boolean =>
  !answer.ok && UNANSWERED.includes(answer.error.reason)

/** `read_only_sql_transaction`. */
const isReadOnly = (answer: Result<unknown, DatabaseFailure>): boolean =>
  !answer.ok && answer.error.reason.endsWith(' 25006')

function createEngine(
  connect: Connect,
  connectListener: Connect | null,
  onListening: PostgresOptions['onListening'],
): Engine {
  function open(): Pool {
    const openedAt = performance.now()
    const sql = connect({ max: CONNECTIONS_MAX, idleTimeout: IDLE_CONNECTION_S })
    return { sql, openedAt, answeredAt: openedAt }
  }
  let pool = open()
  const connections = createFair({ queue: 'database', permits: CONNECTIONS_MAX })

  async function call<Value>(
    work: (sql: SQL) => PromiseLike<Value>,
  ): Promise<Result<Value, DatabaseFailure>> {
    const person = currentPerson()
    stepAside()
    const startedAt = performance.now()
    if (!connections.enter(person)) {
      try {
        await connections.wait(person, AbortSignal.timeout(DEADLINE_MS))
      } catch {
        return unavailable(`no connection within ${DEADLINE_MS} ms`)
      }
    }
    try {
      return await callOn(pool, startedAt, work)
    } finally {
      connections.leave(person)
    }
  }

  async function callOn<Value>(
    used: Pool,
    startedAt: number,
    work: (sql: SQL) => PromiseLike<Value>,
  ): Promise<Result<Value, DatabaseFailure>> {
    // Who has waited for a turn may find a pool that is younger than the request.
    const begunAt = performance.now()
    const deadline = Promise.withResolvers<undefined>()
    const timer = setTimeout(deadline.resolve, startedAt + DEADLINE_MS - begunAt)

    const answer = await Promise.race([settle(work(used.sql)), deadline.promise])
    clearTimeout(timer)
    if (answer !== undefined && !isUnanswered(answer)) {
      used.answeredAt = performance.now()
      if (isReadOnly(answer)) leaveStandby(used)
      return answer
    }
    abandon(used, begunAt)
    return unavailable(`no answer within ${DEADLINE_MS} ms`)
  }

  /** Replaces a pool that has answered nothing since `since`: its connections hang until the kernel gives up. */
  function abandon(used: Pool, since: number) {
    if (used !== pool || used.answeredAt > since) return
    pool = open()
    used.sql.close({ timeout: 0 }).catch(() => undefined)
  }

  /**
   * Replaces a pool whose server has become a standby by a failover: it goes on answering reads, so that nothing else ends the
   * connections to it. The name of the primary leads to the new one soon.
   */
  function leaveStandby(used: Pool) {
    if (used !== pool || performance.now() - used.openedAt < STANDBY_LEFT_EVERY_MS) return
    pool = open()
    used.sql.close({ timeout: CLOSE_TIMEOUT_S }).catch(() => undefined)
  }

  /** The server's own limit would be a setting of the connection. */
  const run: Engine['run'] = async (statement) => {
    let timer: Timer | undefined
    const answer = await call((sql) => {
      const query = statement(sql)
      timer = setTimeout(() => query.cancel(), STATEMENT_TIMEOUT_MS)
      return query
    })
    clearTimeout(timer)
    return answer
  }

  const send = async (text: string): Promise<boolean> =>
    (await run((sql) => sql`SELECT pg_notify(${CHANNEL}, ${text})`)).ok

  return {
    isShared: true,
    dialect: {
      bytes: 'BYTEA',
      int64: 'BIGINT',
      tableOptions: '',
      columns: `SELECT table_name AS "table", column_name AS "column", data_type AS type
        FROM information_schema.columns WHERE table_schema = current_schema()`,
    },

    run,

    async transaction(lock, work) {
      const done = await call((sql) =>
        sql.begin(async (sql) => {
          // A statement is limited by the settings at its start, the wait for a lock by those at its own.
          await sql`
            SELECT
              set_config('lock_timeout', ${String(STATEMENT_TIMEOUT_MS)}, true),
              set_config('statement_timeout', ${String(STATEMENT_TIMEOUT_MS)}, true),
              set_config('idle_in_transaction_session_timeout', ${String(ABANDONED_TRANSACTION_MS)}, true),
              pg_advisory_xact_lock(hashtextextended(${lock}, 0))`
          return { value: await work(sql) }
        }),
      )
      return done.ok ? ok(done.value.value) : done
    },

    async transactionAtLength(access, work) {
      const sql = connect({ max: 1, idleTimeout: 0 })
      const done = await settle(
        sql.begin(
          access === 'read' ? 'ISOLATION LEVEL REPEATABLE READ READ ONLY' : 'READ WRITE',
          async (sql) => {
            await sql`
            SELECT
              set_config('statement_timeout', '0', true),
              set_config('idle_in_transaction_session_timeout', '0', true)`
            if (access === 'write') {
              await sql`SELECT pg_advisory_xact_lock(hashtextextended(${SCHEMA_LOCK}, 0))`
            }
            return { value: await work(sql) }
          },
        ),
      )
      await sql.close({ timeout: CLOSE_TIMEOUT_S })
      return done.ok ? ok(done.value.value) : done
    },

    notices: {
      send,
      receive: (onNotice) =>
        connectListener === null
          ? () => {}
          : listenForNotices({
              connect: (onclose) => connectListener({ max: 1, onclose }),
              channel: CHANNEL,
              onNotice,
              onListening,
              send,
            }),
    },

    isInPlace: async () => ok(undefined),

    close: () => pool.sql.close({ timeout: CLOSE_TIMEOUT_S }),
  }
}
