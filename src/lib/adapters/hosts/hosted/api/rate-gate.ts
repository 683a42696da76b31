import { setTimeout as sleep } from 'node:timers/promises'
import { orAbort } from '../../../../concurrency/or-abort.ts'
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

/** A permission to send one request. */
export interface Pass {
  /** How many refusals by a limit preceded it. */
  readonly refusals: number
  /** Ends the trial of one request after a limit. */
  readonly endTrial: (() => void) | null
}

interface Closed {
  /** Milliseconds since the Unix epoch. */
  readonly since: number
  readonly until: number
  isOver: boolean
  /** Settles when the one request after the limit has its answer. */
  trial: Promise<void> | null
}

/**
 * Holds requests back while a rate limit lasts. After its end one request goes first, and the others wait for its answer: a host bans
 * those who keep sending.
 */
export function createRateGate(clock: Clock) {
  let closed: Closed | null = null
  let refusals = 0
  /** Refusals without a success between them. */
  let repeated = 0

  function remainingMs({ since, until, isOver }: Closed): number {
    const now = clock.now()
    // Before `since` the clock was set back, and `until` says nothing any more.
    return isOver || now < since ? 0 : Math.max(0, until - now)
  }

  /** Waits for a pass, at most `patienceMs` for the end of a limit. Throws the reason of `signal`. */
  async function enter(signal: AbortSignal, patienceMs: number): GitAnswer<Pass> {
    for (let current = closed; current !== null; current = closed) {
      const waitMs = remainingMs(current)
      if (waitMs > Math.min(WAIT_MAX_MS, patienceMs)) return err(rateLimited(waitMs))
      if (waitMs > 0) {
        await orAbort(sleep(waitMs, undefined, { signal }), signal)
        current.isOver = true
      } else if (current.trial === null) {
        const { promise, resolve } = Promise.withResolvers<void>()
        const trialled = current
        trialled.trial = promise
        return ok({
          refusals,
          endTrial() {
            trialled.trial = null
            resolve()
          },
        })
      } else {
        await orAbort(current.trial, signal)
      }
    }
    return ok({ refusals, endTrial: null })
  }

  /** A request was answered without a refusal. */
  function accept(pass: Pass): void {
    if (pass.refusals !== refusals) return
    closed = null
    repeated = 0
  }

  /** A request was refused: no other is sent for the time in the failure. */
  function refuse(pass: Pass, { statedMs }: RateLimitRefusal): GitFailure {
    // Answers to requests that were under way together count as one refusal, until the latest of their times.
    const isFirst = pass.refusals === refusals
    if (isFirst) {
      refusals += 1
      repeated += 1
    }
    const leastMs = (statedMs === null ? UNSTATED_MS : STATED_MIN_MS) * 2 ** (repeated - 1)
    const since = clock.now()
    const until = since + Math.max(statedMs ?? 0, Math.min(leastMs, REPEATED_MAX_MS))
    const latest = isFirst ? until : Math.max(until, closed?.until ?? 0)
    closed = { since, until: latest, isOver: false, trial: null }
    return rateLimited(remainingMs(closed))
  }

  return { enter, accept, refuse }
}

export const rateLimited = (waitMs: number): GitFailure => ({
  kind: 'git_rate_limited',
  retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
})
