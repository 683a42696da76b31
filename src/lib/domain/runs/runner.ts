import { createFair } from '../../concurrency/fair.ts'
import { lazily } from '../../concurrency/lazily.ts'
import type { RunLeases } from '../../ports/database/run-leases.ts'
import type { RunId } from '../../names.ts'
import type { SteadyClock } from '../../ports/clock.ts'
import type { RunKind, RunRow } from '../../ports/database/runs.ts'
import { createLeaseWatch, LEASE_MS } from './lease-watch.ts'

const RUNS_AT_ONCE_MAX = 16
/** A run is mostly programs of git, which take a processor each: beside more of them everybody else waits. */
const RUNS_OF_PERSON_MAX = 2
/** Polls for abandoned runs per lease. */
const POLLS_PER_LEASE = 15
const CLOSE_DEADLINE_MS = 500

export interface RunnerOptions {
  /** The runs that it works on. */
  readonly kind: RunKind
  readonly store: Omit<RunLeases, 'append' | 'endPause'>
  readonly clock: SteadyClock
  readonly leaseMs?: number
  /**
   * Works on a claimed run: to its end, until it has to pause, or until `stopping` aborts. Answers `false` when the run neither ended nor
   * pauses; the lease, if it is not lost, is then released.
   */
  readonly work: (row: RunRow, holder: string, stopping: AbortSignal) => Promise<boolean>
  readonly onBug: (id: RunId, bug: unknown) => void
}

/** Works on new runs and on those of dead processes. One process at a time holds a run, and only the holder writes its journal. */
export function createRunner(options: RunnerOptions) {
  const { kind, store, clock, onBug, leaseMs = LEASE_MS } = options
  const watch = createLeaseWatch(leaseMs)
  const places = createFair({
    queue: 'runs',
    permits: RUNS_AT_ONCE_MAX,
    perPerson: RUNS_OF_PERSON_MAX,
  })
  const holding = new Set<Promise<void>>()
  let timer: Timer | undefined
  let claiming: Promise<void> | undefined
  let isClaimDue = false
  const closed = new AbortController()

  const hasRoom = (): boolean => !closed.signal.aborted && places.running() < RUNS_AT_ONCE_MAX

  /**
   * Ends the leases of processes that cannot live any more. Before the first claim, and before a process starts the first run of its own,
   * so that it ends no lease of this process.
   */
  const releaseDead = lazily(() => store.releaseDead(kind))

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
      const seen = await store.look(kind)
      if (!seen.ok) {
        watch.reset()
        continue
      }
      for (const run of watch.free(seen.value, clock)) {
        if (!hasRoom()) break
        const leave = places.take(run.person)
        if (leave === undefined) continue
        const holder = crypto.randomUUID()
        const claimed = await store.claim(run, { holder, until: clock.now() + leaseMs })
        if (claimed.ok && claimed.value !== null) {
          begin(claimed.value, holder, leave)
          continue
        }
        leave()
        if (!claimed.ok) {
          await release(run.id, holder)
          break
        }
      }
    } while (isClaimDue)
  }

  function begin(row: RunRow, holder: string, leave: () => void): void {
    void hold(row.id, holder, () => options.work(row, holder, closed.signal)).finally(() => {
      leave()
      wake()
    })
  }

  /** Claims free runs now instead of at the next poll. */
  function wake(): void {
    if (closed.signal.aborted) return
    isClaimDue = true
    claiming ??= claimAll().finally(() => {
      claiming = undefined
      if (isClaimDue) wake()
    })
  }

  /** Renews the lease of a run while its holder works on it, and releases it when the work answers `false`. */
  function hold(id: RunId, holder: string, work: () => Promise<boolean>): Promise<void> {
    const held = whileHeld(id, holder, work).finally(() => holding.delete(held))
    holding.add(held)
    return held
  }

  async function whileHeld(id: RunId, holder: string, work: () => Promise<boolean>): Promise<void> {
    const renewal = setInterval(() => {
      void store.renew(id, { holder, until: clock.now() + leaseMs })
    }, leaseMs / 3)
    try {
      if (!(await work())) await release(id, holder)
    } catch (error) {
      // The lease is not released, so that a bug does not become a busy loop.
      onBug(id, error)
    } finally {
      clearInterval(renewal)
    }
  }

  /** Claims no more runs, and releases the claimed ones after their current steps. */
  function drain(): void {
    closed.abort()
    clearInterval(timer)
  }

  return {
    wake,
    ready: releaseDead,
    hold,
    start: () => {
      timer = setInterval(wake, leaseMs / POLLS_PER_LEASE)
      wake()
    },
    drain,
    /** Waits for the current steps until a deadline. A run whose step takes longer is claimed after its lease. */
    close: async () => {
      drain()
      const deadline = Promise.withResolvers<void>()
      const timer = setTimeout(deadline.resolve, CLOSE_DEADLINE_MS)
      await Promise.race([Promise.all([claiming, ...holding]), deadline.promise])
      clearTimeout(timer)
    },
  }
}
