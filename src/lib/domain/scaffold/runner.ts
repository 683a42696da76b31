import type { RunRow, RunStore } from '../../ports/database.ts'
import { workOn, type WorkOptions } from './work.ts'

/** How long a run is held without a sign of life. Longer than a step's slowest effect takes to be told. */
const LEASE_MS = 15_000
const RUNS_AT_ONCE_MAX = 16
/** How often it is looked for runs that somebody left, in parts of a lease. */
const LOOKS_PER_LEASE = 15
const CLOSE_DEADLINE_MS = 500

export interface RunnerOptions extends WorkOptions {
  readonly store: Pick<RunStore, 'claim' | 'renew' | 'release' | 'append'>
  readonly leaseMs?: number
}

export interface Runner {
  /** Looks for runs that nobody holds now, instead of at the next look. */
  readonly wake: () => void
  start(): void
  /** Takes no more, and gives back what it has after the step at work. */
  drain(): void
  /** Waits for the steps at work, but not for ever: what they leave is found again when their lease is over. */
  close(): Promise<void>
}

/**
 * Takes runs to work on, whoever asked for them: those just started, and those of a process that died. A run is held by one
 * process at a time, and only its holder can write its journal.
 */
export function createRunner(options: RunnerOptions): Runner {
  const { store, clock, log, leaseMs = LEASE_MS } = options
  const working = new Set<Promise<void>>()
  let timer: Timer | undefined
  let looking: Promise<void> | undefined
  let isLookDue = false
  const closed = new AbortController()

  async function lookAll(): Promise<void> {
    do {
      isLookDue = false
      while (!closed.signal.aborted && working.size < RUNS_AT_ONCE_MAX) {
        const holder = crypto.randomUUID()
        const now = clock.now()
        const claimed = await store.claim({ holder, until: now + leaseMs }, now)
        if (!claimed.ok || claimed.value === null) break
        const work = hold(claimed.value, holder).finally(() => {
          working.delete(work)
          wake()
        })
        working.add(work)
      }
    } while (isLookDue)
  }

  function wake(): void {
    if (closed.signal.aborted) return
    isLookDue = true
    looking ??= lookAll().finally(() => {
      looking = undefined
      if (isLookDue) wake()
    })
  }

  async function hold(row: RunRow, holder: string): Promise<void> {
    const renewal = setInterval(() => {
      void store.renew(row.id, { holder, until: clock.now() + leaseMs })
    }, leaseMs / 3)
    try {
      await workOn(options, row, holder, closed.signal)
    } catch (error) {
      // The run stays held until the lease is over, so that a bug does not become a busy loop.
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
      timer = setInterval(wake, leaseMs / LOOKS_PER_LEASE)
      wake()
    },
    drain,
    async close() {
      drain()
      const deadline = Promise.withResolvers<void>()
      const timer = setTimeout(deadline.resolve, CLOSE_DEADLINE_MS)
      await Promise.race([Promise.all([looking, ...working]), deadline.promise])
      clearTimeout(timer)
    },
  }
}
