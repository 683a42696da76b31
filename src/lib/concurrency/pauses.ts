import { setTimeout as sleep } from 'node:timers/promises'

const FIRST_MS = 250
const LONGEST_MS = 10_000

/** Pauses between tries, in milliseconds: each is twice as long as the one before, until the longest. */
export function createPauses(firstMs = FIRST_MS, longestMs = LONGEST_MS) {
  let nextMs = firstMs
  return {
    next(): number {
      const pauseMs = nextMs
      nextMs = Math.min(2 * nextMs, longestMs)
      return pauseMs
    },
    /** After a success. */
    reset(): void {
      nextMs = firstMs
    },
  }
}

/** Ends early, and without an error, when the signal aborts. */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal }).catch(() => undefined)

const PEER_FIRST_MS = 100
const PEER_GROWTH = 3

/** The pause before a request is repeated, with jitter, so that many callers do not come back at the same moment. */
export const pauseBefore = (repetitions: number): number =>
  PEER_FIRST_MS * PEER_GROWTH ** repetitions * (0.5 + Math.random())
