import { createPauses } from '../lib/concurrency/pauses.ts'
import type { Log } from '../lib/logging/log.ts'
import type { DatabaseFailure } from '../lib/ports/database/failure.ts'
import type { Result } from '../lib/result.ts'

/** A database that starts beside this service, or fails over, answers within this time. */
const PATIENCE_MS = 300_000

/**
 * Codes of the driver, and SQLSTATEs, that end by themselves: the server cannot be reached, starts, stops, recovers as a standby or
 * has no connection left, or another process locks the file. All others need somebody.
 */
const PASSING =
  /^no answer|CONNECTION_(?:REFUSED|FAILED|CLOSED|TIMEOUT)|QUERY_CANCELLED|\b(?:08\w{3}|25006|53300|55P03|57014|57P0[123])\b|SQLITE_(?:BUSY|LOCKED)/

export interface Patience {
  readonly log: Pick<Log['events'], 'info' | 'warn'>
  /** A clock that never jumps, in milliseconds. */
  readonly elapsed?: () => number
  readonly pause?: (ms: number) => Promise<unknown>
}

/** Opens a database, and tries again while it does not answer. */
export async function openPatiently<Value>(
  open: () => Promise<Result<Value, DatabaseFailure>>,
  { log, elapsed = () => performance.now(), pause = Bun.sleep }: Patience,
): Promise<Result<Value, DatabaseFailure>> {
  const startedAt = elapsed()
  const pauses = createPauses()
  for (let hasWaited = false; ; hasWaited = true) {
    const opened = await open()
    const waitedMs = elapsed() - startedAt
    if (opened.ok || !PASSING.test(opened.error.reason) || waitedMs >= PATIENCE_MS) {
      if (opened.ok && hasWaited) log.info({ waitedMs }, 'the database answers')
      return opened
    }
    const pauseMs = pauses.next()
    log.warn(
      { reason: opened.error.reason, waitedMs, retryInMs: pauseMs, givesUpAfterMs: PATIENCE_MS },
      'the database does not answer yet, the start waits for it',
    )
    await pause(pauseMs)
  }
}
