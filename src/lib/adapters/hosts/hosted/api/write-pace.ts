import { setTimeout as sleep } from 'node:timers/promises'
import { createFair } from '../../../../concurrency/fair.ts'
import { currentPerson, onNobodysBehalf } from '../../../../concurrency/on-behalf-of.ts'
import { orAbort } from '../../../../concurrency/or-abort.ts'
import type { Clock } from '../../../../ports/clock.ts'
import type { WriteTurn, WriteTurnStore } from '../../../../ports/database/write-turns.ts'
import type { GitAnswer } from '../../../../ports/git-host.ts'
import { err, ok } from '../../../../result.ts'
import { rateLimited } from './rate-gate.ts'

/** A longer wait is the caller's failure. */
const WAIT_MAX_MS = 5_000
/** Further ahead than any turn is taken. */
const AHEAD_MAX_MS = 60_000

export interface WriteRate {
  /** Between the beginnings of two writes. */
  readonly intervalMs: number
  /** Writes that may follow one another at that interval, and the time after which each of them may be made once more. */
  readonly burst: number
  readonly refillMs: number
}

export type WritePace = ReturnType<typeof createWritePace>

/**
 * The writes of all replicas to `host`, whose limits they are, in turn. Within a process persons take turns, however much one of them writes. While the database
 * is away each process keeps to the rate by itself.
 */
export function createWritePace(
  host: string,
  rate: WriteRate,
  clock: Clock,
  turns: () => WriteTurnStore,
) {
  const queue = createFair({ queue: 'git_host', permits: 1, isElsewhere: true })
  /** The last turn that this process knows of. */
  let known: WriteTurn | null = null

  async function takeTurn(signal: AbortSignal, waitMaxMs: number): GitAnswer<void> {
    let waitMs = 0
    const make = (last: WriteTurn | null): WriteTurn | null => {
      const now = clock.now()
      const turn = turnAfter(last, rate, now)
      waitMs = turn.at - now
      return waitMs > waitMaxMs ? null : turn
    }
    const taken = await onNobodysBehalf(() => turns().take(host, make))
    const turn = taken.ok ? taken.value : make(known)
    if (turn === null) return err(rateLimited(waitMs))
    known = turn
    await sleep(waitMs, undefined, { signal })
    return ok(undefined)
  }

  /** Waits for a turn, or fails at once if it would come too late. Throws the reason of `signal`. */
  return (signal: AbortSignal, patienceMs: number): GitAnswer<void> => {
    const waitMaxMs = Math.min(WAIT_MAX_MS, patienceMs)
    // One is waiting for its turn already.
    const isIdle = queue.running() === 0
    const waitMs = isIdle ? 0 : (queue.turnsBefore(currentPerson()) + 2) * rate.intervalMs
    if (waitMs > waitMaxMs) return Promise.resolve(err(rateLimited(waitMs)))
    return orAbort(
      queue.inTurn(() => takeTurn(signal, waitMaxMs), signal),
      signal,
    )
  }
}

const NEVER: WriteTurn = { at: -Infinity, usedUntil: -Infinity }

/** The turn after the last one: an interval later, and within the burst (a leaky bucket). A turn of a clock that was set counts as none. */
export function turnAfter(
  last: WriteTurn | null,
  { intervalMs, burst, refillMs }: WriteRate,
  now: number,
): WriteTurn {
  const before = last === null || last.at > now + AHEAD_MAX_MS ? NEVER : last
  const at = Math.max(now, before.at + intervalMs, before.usedUntil - (burst - 1) * refillMs)
  return { at, usedUntil: Math.max(before.usedUntil, at) + refillMs }
}
