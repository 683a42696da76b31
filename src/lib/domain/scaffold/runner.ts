import { lazily } from '../../concurrency/lazily.ts'
import type { RunLeases } from '../../ports/database/run-leases.ts'
import type { RunId } from '../../names.ts'
import type { RunRow } from '../../ports/database/runs.ts'
import { createLeaseWatch, LEASE_MS } from './lease-watch.ts'
import { workOn, type WorkOptions } from './work.ts'

const RUNS_AT_ONCE_MAX = 16
/** Polls for abandoned runs per lease. */
const POLLS_PER_LEASE = 15
const CLOSE_DEADLINE_MS = 500

export interface RunnerOptions extends WorkOptions {
  readonly store: RunLeases
}

export interface Runner {
  /** Claims free runs now instead of at the next poll. */
  readonly wake: () => void
  start(): void
  /** Claims no more runs, and releases the claimed ones after their current steps. */
  drain(): void
  /** Waits for the current steps until a deadline. A run whose step takes longer is claimed after its lease. */
  close(): Promise<void>
}

/** Works on new runs and on those of dead processes. One process at a time holds a run, and only the holder writes its journal. */
export function createRunner(options: RunnerOptions): Runner {
  const { store, clock, log, leaseMs = LEASE_MS } = options
  const watch = createLeaseWatch(leaseMs)
  const working = new Set<Promise<void>>()
  let timer: Timer | undefined
  let claiming: Promise<void> | undefined
  let isClaimDue = false
  const closed = new AbortController()

  const hasRoom = (): boolean => !closed.signal.aborted && working.size < RUNS_AT_ONCE_MAX

  /** Before the first claim, so that it ends no lease of this process. */
  const releaseDead = lazily(() => store.releaseDead())

  /** Leases of this process that nobody uses, by holder: the database did not say that it ended them. */
  const unreleased = new Map<string, RunId>()

  async function release(id: RunId, holder: string): Promise<void> {
    const released = await store.release(id, holder)
    if (released.ok) unreleased.delete(holder)
    else unreleased.set(holder, id)
  }

  async function claimAll(): Promise<void> {
    await releaseDead()
    do {
      for (const [holder, id] of unreleased) await release(id, holder)
      isClaimDue = false
      if (!hasRoom()) break
      const seen = await store.look()
      if (!seen.ok) {
        watch.reset()
        continue
      }
      for (const run of watch.free(seen.value, clock)) {
        if (!hasRoom()) break
        const holder = crypto.randomUUID()
        const claimed = await store.claim(run, { holder, until: clock.now() + leaseMs })
        if (!claimed.ok) {
          await release(run.id, holder)
          break
        }
        if (claimed.value !== null) work(claimed.value, holder)
      }
    } while (isClaimDue)
  }

  function work(row: RunRow, holder: string): void {
    const held = hold(row, holder).finally(() => {
      working.delete(held)
      wake()
    })
    working.add(held)
  }

  function wake(): void {
    if (closed.signal.aborted) return
    isClaimDue = true
    claiming ??= claimAll().finally(() => {
      claiming = undefined
      if (isClaimDue) wake()
    })
  }

  async function hold(row: RunRow, holder: string): Promise<void> {
    const renewal = setInterval(() => {
      void store.renew(row.id, { holder, until: clock.now() + leaseMs })
    }, leaseMs / 3)
    try {
      if (!(await workOn(options, row, holder, closed.signal))) await release(row.id, holder)
    } catch (error) {
      // The lease is not released, so that a bug does not become a busy loop.
      log({ kind: 'unexpected', run: row.id, error })
    } finally {
      clearInterval(renewal)
    }
  }

  function drain(): void {
    closed.abort()
    clearInterval(timer)
  }

  return {
    wake,
    start() {
      timer = setInterval(wake, leaseMs / POLLS_PER_LEASE)
      wake()
    },
    drain,
    async close() {
      drain()
      const deadline = Promise.withResolvers<void>()
      const timer = setTimeout(deadline.resolve, CLOSE_DEADLINE_MS)
      await Promise.race([Promise.all([claiming, ...working]), deadline.promise])
      clearTimeout(timer)
    },
  }
}
