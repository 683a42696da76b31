import type { RunLeases, SeenRun } from '#src/lib/ports/database/run-leases.ts'
import type { RunRow } from '#src/lib/ports/database/runs.ts'

/** Leases the first run, among all or only those that are neither leased nor paused; `null` without one. */
export async function claimRun(
  runs: Pick<RunLeases, 'look' | 'claim'>,
  holder: string,
  { among = 'free', until = Date.now() + 60_000 }: ClaimOptions = {},
): Promise<RunRow | null> {
  const seen = await runs.look('project')
  if (!seen.ok) throw new Error(seen.error.reason)
  for (const run of seen.value) {
    if (among === 'free' && run.until !== 0) continue
    const claimed = await runs.claim(run, { holder, until })
    if (!claimed.ok) throw new Error(claimed.error.reason)
    if (claimed.value !== null) return claimed.value
  }
  return null
}

interface ClaimOptions {
  readonly among?: 'free' | 'all'
  readonly until?: SeenRun['until']
}
