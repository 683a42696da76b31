import type { SQL } from 'bun'
import type { DatabaseFailure } from '#src/lib/ports/database.ts'
import { err, ok, type Result } from '#src/lib/result.ts'

/** What SQLite and PostgreSQL do differently. Everything above it is one set of statements. */
export interface Engine {
  readonly words: Words
  /** Runs one statement. It must return the query itself: SQLite starts it at once, between two transactions. */
  run<Value>(statement: (sql: SQL) => PromiseLike<Value>): Promise<Result<Value, DatabaseFailure>>
  /** All or nothing. Of the transactions with the same `lock`, in any process, one runs at a time. */
  transaction<Value>(
    lock: string,
    work: (sql: SQL) => Promise<Value>,
  ): Promise<Result<Value, DatabaseFailure>>
  close(): Promise<void>
}

/** The words of a table definition that differ. */
export interface Words {
  readonly bytes: string
  readonly int64: string
  readonly tableOptions: string
}

export const unavailable = (reason: string) => err({ kind: 'database_unavailable', reason })

/**
 * Turns what the driver rejects with into a value, and starts the query at once: `await` would start it a
 * microtask later. The reason is the driver's code and the SQLSTATE alone, because messages quote parameters.
 */
export async function settle<Value>(
  work: PromiseLike<Value>,
): Promise<Result<Value, DatabaseFailure>> {
  return work.then((value) => ok(value), refuse)
}

/** An error without a code is a bug of ours, and thrown on. */
export function refuse(error: unknown) {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') throw error
  const sqlState = 'errno' in error && typeof error.errno === 'string' ? ` ${error.errno}` : ''
  return unavailable(`${error.code}${sqlState}`)
}
