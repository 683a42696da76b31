import { currentPerson } from '../../../../concurrency/on-behalf-of.ts'
import { orAbort } from '../../../../concurrency/or-abort.ts'
import type { GitFailure } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { rateLimited } from './rate-gate.ts'

/** A longer wait is the caller's failure. */
const WAIT_MAX_MS = 5_000

interface Turn {
  take(): void
  /** Of whoever waits for it. */
  readonly signal: AbortSignal
}

export type WritePace = ReturnType<typeof createWritePace>

/** One queue for the writes to a host, which begin at least `intervalMs` apart. Persons take turns, however much one of them writes. */
export function createWritePace(intervalMs: number) {
  /** In the order of the next turns. */
  const waiting = new Map<string | null, Turn[]>()
  let isIdle = true

  function next(): void {
    const [first] = waiting
    isIdle = first === undefined
    if (first === undefined) return
    const [person, [turn, ...others]] = first
    waiting.delete(person)
    if (others.length > 0) waiting.set(person, others)
    if (turn === undefined || turn.signal.aborted) return next()
    turn.take()
    setTimeout(next, intervalMs)
  }

  function turnsBefore(person: string | null): number {
    const own = waiting.get(person)?.length ?? 0
    const ofOthers = [...waiting]
      .filter(([other]) => other !== person)
      .map(([, queue]) => Math.min(queue.length, own + 1))
    return ofOthers.reduce((sum, turns) => sum + turns, own)
  }

  /** Waits for a turn, or fails at once if it would come too late. Throws the reason of `signal`. */
  return async function enter(
    signal: AbortSignal,
    patienceMs: number,
  ): Promise<Result<void, GitFailure>> {
    const person = currentPerson()
    const turn = Promise.withResolvers<void>()
    const queue = waiting.get(person) ?? []
    const waitMs = isIdle ? 0 : (turnsBefore(person) + 1) * intervalMs
    if (waitMs > Math.min(WAIT_MAX_MS, patienceMs)) return err(rateLimited(waitMs))
    waiting.set(person, [...queue, { take: turn.resolve, signal }])
    if (isIdle) next()
    await orAbort(turn.promise, signal)
    return ok(undefined)
  }
}
