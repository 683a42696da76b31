import type { RunId } from '../../names.ts'
import type { SteadyClock } from '../../ports/clock.ts'
import type { SeenRun } from '../../ports/database/run-leases.ts'

/** Three renewals: a request for the same application waits for the run of a process that died. */
export const LEASE_MS = 6_000

interface Watched extends SeenRun {
  /** By the elapsed time of the process's clock. */
  readonly freeAt: number
}

/**
 * Tells which runs nobody works on. A lease ends when it was not renewed for `leaseMs` since it was first seen, and a pause after
 * its time, whatever happens to the wall clocks meanwhile.
 */
export function createLeaseWatch(leaseMs: number) {
  let watched: ReadonlyMap<RunId, Watched> = new Map()

  return {
    free(seen: readonly SeenRun[], clock: SteadyClock): readonly SeenRun[] {
      const before = watched
      const elapsed = clock.elapsed()
      const current = seen.map((run): Watched => {
        const known = before.get(run.id)
        if (known?.holder === run.holder && known.until === run.until) return known
        return { ...run, freeAt: elapsed + remainingMs(run, leaseMs, clock.now()) }
      })
      watched = new Map(current.map((run) => [run.id, run]))
      return current.filter(({ freeAt }) => freeAt <= elapsed)
    },

    /** After a time in which renewals could neither be written nor seen. */
    reset(): void {
      watched = new Map()
    },
  }
}

/** A pause seems longer than it is when the wall clock was set back since it began. */
function remainingMs({ holder, until, pausedAt }: SeenRun, leaseMs: number, now: number): number {
  if (holder !== null) return leaseMs
  return Math.min(until - now, until - (pausedAt ?? now))
}
