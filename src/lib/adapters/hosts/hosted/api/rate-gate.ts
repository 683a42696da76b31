import { setTimeout as sleep } from 'node:timers/promises'
import { orAbort } from '../../../../concurrency/or-abort.ts'
import { createQueue } from '../../../../concurrency/queue.ts'
import type { Clock } from '../../../../ports/clock.ts'
import type { GitAnswer, GitFailure } from '../../../../ports/git-host.ts'
import { err, ok } from '../../../../result.ts'
import type { RateLimitRefusal } from './rate-limit.ts'

/** A wait up to this long is waited out; a longer one is the caller's failure. */
const WAIT_MAX_MS = 5_000
/** GitHub: without a stated time "wait for at least one minute", and longer each time. */
export const UNSTATED_MS = 60_000
/** Our clock may be ahead of the host's, so that a stated time seems to be over. */
const STATED_MIN_MS = 1_000
const REPEATED_MAX_MS = 60 * 60_000

interface Closed {
  /** Milliseconds since the Unix epoch. */
  readonly since: number
  readonly until: number
  isOver: boolean
}

/**
 * Holds requests back while a rate limit lasts. After its end they go one at a time until the host accepts one: a host bans those who keep
 * sending.
 */
export function createRateGate(clock: Clock) {
  const inTurn = createQueue()
  let closed: Closed | null = null
  let refusals = 0
  /** Refusals without a success between them. */
  let repeated = 0

  function remainingMs({ since, until, isOver }: Closed): number {
    const now = clock.now()
    // Before `since` the clock was set back, and `until` says nothing any more.
    return isOver || now < since ? 0 : Math.max(0, until - now)
  }

  /**
   * Sends a request, which waits until `endsAt` at most, by `performance.now()`. `send` gets the number of refusals by a limit before it.
   * Throws the reason of `signal`.
   */
  async function pass<Value>(
    { signal, endsAt }: { readonly signal: AbortSignal; readonly endsAt: number },
    send: (refusals: number) => Promise<Value>,
  ): GitAnswer<Value> {
    const waitsTooLong = (ms: number) => ms > Math.min(WAIT_MAX_MS, endsAt - performance.now())
    if (closed === null) return ok(await send(refusals))
    const leftMs = remainingMs(closed)
    if (waitsTooLong(leftMs)) return err(rateLimited(leftMs))
    const turn = inTurn('', async () => {
      const limit = closed
      // The host has accepted another request meanwhile, so that this one holds up nobody.
      if (limit === null) return null
      const waitMs = remainingMs(limit)
      if (waitsTooLong(waitMs)) return err(rateLimited(waitMs))
      if (waitMs > 0) await sleep(waitMs, undefined, { signal })
      limit.isOver = true
      signal.throwIfAborted()
      return ok(await send(refusals))
    })
    return (await orAbort(turn, signal)) ?? ok(await send(refusals))
  }

  /** A request was answered without a refusal. `before`: refusals when it was sent. */
  function accept(before: number): void {
    if (before !== refusals) return
    closed = null
    repeated = 0
  }

  /** A request was refused: no other is sent for the time in the failure. */
  function refuse(before: number, { statedMs }: RateLimitRefusal): GitFailure {
    // Answers to requests that were under way together count as one refusal, until the latest of their times.
    const isFirst = before === refusals
    if (isFirst) {
      refusals += 1
      repeated += 1
    }
    const leastMs = (statedMs === null ? UNSTATED_MS : STATED_MIN_MS) * 2 ** (repeated - 1)
    const since = clock.now()
    const until = since + Math.max(statedMs ?? 0, Math.min(leastMs, REPEATED_MAX_MS))
    const latest = isFirst ? until : Math.max(until, closed?.until ?? 0)
    closed = { since, until: latest, isOver: false }
    return rateLimited(remainingMs(closed))
  }

  return { pass, accept, refuse }
}

export const rateLimited = (waitMs: number): GitFailure => ({
  kind: 'git_rate_limited',
  retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
})
