/** Attempts at a step that are allowed to end with their process before the run pauses. */
export const CRASHES_MAX = 5
/** Pauses double with each attempt at a step, from seconds to a minute after the fifth attempt, and on. */
const PAUSE_MAX_MS = 15 * 60_000
/** Upper bound of all pauses of a run, from its start or from its last retry by a person: whoever asked has given it up by then. */
const PAUSES_MAX_MS = 7 * 24 * 60 * 60_000
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** Why an attempt at a step failed, for programs and for the followers of the run. */
export interface Explanation {
  /** Stable: a code of the problem details. */
  readonly code: string
  readonly message: string
  readonly retry: Retry
  /** The pause that a limit asks for. */
  readonly limitMs: number
}

/** How a run can still be finished: the step is tried again without anybody's doing, or a person retries it when the cause is mended. */
export type Retry = 'by_itself' | 'by_person' | 'never'

export interface Waits {
  /** Attempts at the current step so far, all in vain. */
  readonly attempts: number
  /** All pauses of the run. */
  readonly totalMs: number
}

export const noWaits: Waits = { attempts: 0, totalMs: 0 }

interface Pause {
  /** Milliseconds since the Unix epoch. */
  readonly until: number
  /** For the followers of the run. */
  readonly message: string
  /** With this pause. */
  readonly waits: Waits
}

/** The pause after the last of `waits.attempts`; `null` when a person has to settle the failure. */
export function pauseAfter(
  { message: reason, retry, limitMs }: Explanation,
  waits: Waits,
  now: number,
): Pause | null {
  if (retry !== 'by_itself') return null
  const pauseMs = Math.max(limitMs, pauseMsAfter(waits.attempts))
  const totalMs = waits.totalMs + pauseMs
  if (totalMs > PAUSES_MAX_MS) return null
  const until = now + pauseMs
  const message = `${reason}; trying again ${timeText(until, now)}`
  return { until, message, waits: { ...waits, totalMs } }
}

const pauseMsAfter = (attempts: number): number =>
  Math.min(MINUTE_MS * 2 ** (attempts - CRASHES_MAX), PAUSE_MAX_MS)

/** `in 8 s`, `at 14:05 UTC`, or `on 2026-11-24 at 14:05 UTC` on a later day; rounded up: the run goes on then at the latest. */
function timeText(at: number, now: number): string {
  if (at - now < MINUTE_MS) return `in ${Math.ceil((at - now) / 1_000)} s`
  const text = new Date(Math.ceil(at / MINUTE_MS) * MINUTE_MS).toISOString()
  const time = `at ${text.slice(11, 16)} UTC`
  return at - now > DAY_MS ? `on ${text.slice(0, 10)} ${time}` : time
}
