import { setTimeout as sleep } from 'node:timers/promises'
import { createQueue } from '../../concurrency/queue.ts'
import type { SteadyClock } from '../../ports/clock.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { Lease, LeaseStore } from '../../ports/database/leases.ts'
import { err, ok, type Result } from '../../result.ts'

const LEASE_MS = 6_000
const RENEWALS_PER_LEASE = 3
/** Longer than a lease: a request that comes right after its process died gets through. */
const WAIT_MAX_MS = 10_000
const POLL_MS = 200
/** Time after which a process with requests in a queue leaves the lock alone for a while, because other processes may poll for it. */
const TENURE_MS = 2_000
const YIELD_MS = 2 * POLL_MS

export type LockFailure = { readonly kind: 'change_in_progress' } | DatabaseFailure

/** The right to change an application in an environment, while it is held. */
export interface Lock {
  /** Whether others had it since the call: what was read before may be out of date. */
  readonly hasWaited: boolean
  /** Unfinished work of a holder that died or failed. */
  readonly left: string | null
  /** Notes work for whoever takes the lock after this process died; `null`: it is done. */
  note(work: string | null): Promise<Result<void, LockFailure>>
}

export interface LocksOptions {
  readonly leases: LeaseStore
  readonly clock: SteadyClock
  readonly leaseMs?: number
}

export type Locks = ReturnType<typeof createLocks>

/**
 * Locks by name, over all replicas. A process that stalls for longer than a lease may lose one without noticing: each effect is a
 * compare-and-swap besides.
 */
export function createLocks({ leases, clock, leaseMs = LEASE_MS }: LocksOptions) {
  const inTurn = createQueue()
  /** By name, while requests of this process hold or want a lock. */
  const tenures = new Map<string, { requests: number; since: number }>()

  async function take(
    name: string,
    holder: string,
    givenUpAt: number,
  ): Promise<Result<Pick<Lock, 'hasWaited' | 'left'>, LockFailure>> {
    let seen: Lease | null = null
    let since = 0
    for (let hasWaited = false; ; hasWaited = true) {
      if (clock.elapsed() >= givenUpAt) return err({ kind: 'change_in_progress' })
      const isStill = seen !== null && clock.elapsed() - since >= leaseMs
      const lease = { holder, until: clock.now() + leaseMs }
      const taking = await leases.take(name, lease, isStill ? seen : null)
      if (!taking.ok) return taking
      const { value } = taking
      if (value.kind === 'taken') return ok({ hasWaited, left: value.work })
      if (seen?.holder !== value.lease.holder || seen.until !== value.lease.until) {
        seen = value.lease
        since = clock.elapsed()
      }
      await sleep(POLL_MS)
    }
  }

  return {
    /** Works while no other process holds the lock. Waits for it for ten seconds at most. */
    async hold<Value, Failure>(
      name: string,
      work: (lock: Lock) => Promise<Result<Value, Failure>>,
    ): Promise<Result<Value, Failure | LockFailure>> {
      const givenUpAt = clock.elapsed() + WAIT_MAX_MS
      const holder = crypto.randomUUID()
      const tooLate = Promise.withResolvers<Result<never, LockFailure>>()
      const patience = setTimeout(
        () => tooLate.resolve(err({ kind: 'change_in_progress' })),
        WAIT_MAX_MS,
      )
      const tenure = tenures.get(name) ?? { requests: 0, since: clock.elapsed() }
      tenures.set(name, tenure)
      tenure.requests += 1
      const held = inTurn(name, async (hasQueued) => {
        clearTimeout(patience)
        if (hasQueued && clock.elapsed() - tenure.since >= TENURE_MS) {
          await sleep(YIELD_MS)
          tenure.since = clock.elapsed()
        }
        const taken = await take(name, holder, givenUpAt)
        if (!taken.ok) return taken
        const renewal = setInterval(() => {
          void leases.renew(name, { holder, until: clock.now() + leaseMs })
        }, leaseMs / RENEWALS_PER_LEASE)
        try {
          return await work({
            left: taken.value.left,
            hasWaited: hasQueued || taken.value.hasWaited,
            async note(text) {
              const noted = await leases.note(name, holder, text)
              if (!noted.ok) return noted
              return noted.value ? ok(undefined) : err({ kind: 'change_in_progress' })
            },
          })
        } finally {
          clearInterval(renewal)
          await leases.release(name, holder)
        }
      }).finally(() => {
        tenure.requests -= 1
        if (tenure.requests === 0) tenures.delete(name)
      })
      return Promise.race([held, tooLate.promise])
    },
  }
}
