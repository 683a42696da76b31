import { createPauses } from '../../concurrency/pauses.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { Result } from '../../result.ts'

/** Longest wait of a call for another process's lock. */
const WAIT_MS = 2000
const PAUSE_FIRST_MS = 2
const PAUSE_LONGEST_MS = 50

/** Tries again while another process locks the file. A refused attempt has changed nothing. */
export async function whenUnlocked<Value>(
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
