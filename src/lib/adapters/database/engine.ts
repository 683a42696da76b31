import type { SQL } from 'bun'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import { err, ok, type Result } from '../../result.ts'

/** Lock of the transactions that change tables. */
export const SCHEMA_LOCK = 'portico/schema'

/** The differences between SQLite and PostgreSQL. The stores use the same statements for both. */
export interface Engine {
  readonly dialect: Dialect
  /** Whether several processes use the database. */
  readonly isShared: boolean
  /** Runs one statement. The function must return the query itself: SQLite starts it at once, between two transactions. */
  run<Value>(statement: (sql: SQL) => Statement<Value>): Promise<Result<Value, DatabaseFailure>>
  /** All or nothing. Transactions with the same `lock` run one at a time, across processes. */
  transaction<Value>(
    lock: string,
    work: (sql: SQL) => Promise<Value>,
  ): Promise<Result<Value, DatabaseFailure>>
  /**
   * One transaction without a deadline, for a process that does nothing beside it. One that reads sees one moment; one that writes has
   * `SCHEMA_LOCK`.
   */
  transactionAtLength<Value>(
    access: 'read' | 'write',
    work: (sql: SQL) => Promise<Value>,
  ): Promise<Result<Value, DatabaseFailure>>
  readonly notices: Notices
  /** Fails when the database is not any more where the next start looks for it. */
  isInPlace(): Promise<Result<void, DatabaseFailure>>
  close(): Promise<void>
}

export interface Statement<Value> extends PromiseLike<Value> {
  cancel(): unknown
}

/** Short texts to every process, at once and without a guarantee. What they announce must be found without them too. */
export interface Notices {
  /** Answers whether the database took it. */
  send(text: string): Promise<boolean>
  /** Calls `onNotice` with each text, and with `''` when some may have been missed, until the returned function is called. */
  receive(onNotice: (text: string) => void): () => void
}

/** Types and options of the table definitions. */
export interface Dialect {
  readonly bytes: string
  readonly int64: string
  readonly tableOptions: string
  /** Query of all columns: `table`, `column` and `type`. */
  readonly columns: string
}

export const unavailable = (reason: string) => err({ kind: 'database_unavailable', reason })

/**
 * Turns rejections of the driver into values, and starts the query at once: `await` would start it a microtask later. The
 * reason is only the driver's code and the SQLSTATE, because messages quote parameters.
 */
export async function settle<Value>(
  work: PromiseLike<Value>,
): Promise<Result<Value, DatabaseFailure>> {
  return work.then((value) => ok(value), refuse)
}

/** An error without a code is a bug, and is rethrown. */
export function refuse(error: unknown) {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') throw error
  const state = 'errno' in error && typeof error.errno === 'string' ? error.errno : null
  const sqlState = state === POOLER_STATE ? poolerRefusal(error.message) : state
  return unavailable(sqlState === null ? error.code : `${error.code} ${sqlState}`)
}

/** `protocol_violation`, which pgbouncer answers whatever it refuses. */
const POOLER_STATE = '08P01'

/** The SQLSTATE that PostgreSQL has for a refusal of pgbouncer, by its words. Other refusals of it end by themselves. */
function poolerRefusal(message: string): string {
  if (/authentication failed/.test(message)) return '28P01'
  if (/^role .* does not exist|^no such user/.test(message)) return '28000'
  return /^database .* does not exist|^no such database/.test(message) ? '3D000' : POOLER_STATE
}
