import type { RunLeases, SeenRun } from '#src/lib/ports/database/run-leases.ts'
import type { RunRow } from '#src/lib/ports/database/runs.ts'
import { valueOf } from '#tests/support/value-of.ts'

/** Leases the first run, among all or only those that are neither leased nor paused; `null` without one. */
export async function claimRun(
  runs: Pick<RunLeases, 'look' | 'claim'>,
  holder: string,
  { among = 'free', until = Date.now() + 60_000 }: ClaimOptions = {},
): Promise<RunRow | null> {
  const seen = valueOf(await runs.look('project'))
  for (const run of seen) {
    if (among === 'free' && run.until !== 0) continue
    const claimed = valueOf(await runs.claim(run, { holder, until }))
    if (claimed !== null) return claimed
  }
  return null
}

interface ClaimOptions {
  readonly among?: 'free' | 'all'
  readonly until?: SeenRun['until']
}
