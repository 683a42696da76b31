import { explain, type StepFailure } from './failure.ts'

/** Pauses between attempts at a step after failures that may pass by themselves, such as a restart of the git host: almost five minutes. */
const SHORT_PAUSES_MS = [2_000, 5_000, 10_000, 20_000, 40_000, 80_000, 120_000] as const
/** Pauses double from the first to the last while the secret store is sealed, or while a limit outlasts its announced end. */
const LONG_PAUSE_FIRST_MS = 5_000
const LONG_PAUSE_LAST_MS = 5 * 60_000
/** Upper bound of all pauses of a run, from its start or from its last retry by a person: whoever asked has given it up by then. */
const PAUSES_MAX_MS = 7 * 24 * 60 * 60_000
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** Pauses of a run so far. The counts begin again with each finished step. */
export interface PauseRecord {
  readonly short: number
  readonly long: number
  readonly totalMs: number
}

export const noPauses: PauseRecord = { short: 0, long: 0, totalMs: 0 }

export interface Pause {
  /** Milliseconds since the Unix epoch. */
  readonly until: number
  /** For the followers of the run. */
  readonly message: string
  /** The record with this pause. */
  readonly pauses: PauseRecord
}

/** The pause before the next attempt at the failed step; `null` when the run fails instead. */
export function pauseAfter(
  failure: StepFailure,
  pauses: PauseRecord,
  now: number,
  shortPausesMs: readonly number[] = SHORT_PAUSES_MS,
): Pause | null {
  const longMs = longPauseMs(pauses.long)
  const longer = { ...pauses, long: pauses.long + 1 }
  if (failure.kind === 'git_rate_limited' || failure.kind === 'secret_store_rate_limited') {
    const until = now + Math.max(failure.retryAfterSeconds * 1_000, longMs)
    const system = failure.kind === 'git_rate_limited' ? 'git host' : 'secret store'
    const message = `The ${system} allows no calls until ${timeText(until, now)} UTC; waiting`
    return bounded({ until, message }, longer, now)
  }
  if (failure.kind === 'secret_store_sealed') {
    const message = `${explain(failure).message}; looking again in ${secondsText(longMs)}`
    return bounded({ until: now + longMs, message }, longer, now)
  }
  const { message: reason, retry } = explain(failure)
  const pauseMs = retry === 'by_itself' ? shortPausesMs[pauses.short] : undefined
  if (pauseMs === undefined) return null
  const message = `${reason}; trying again in ${secondsText(pauseMs)}`
  return bounded({ until: now + pauseMs, message }, { ...pauses, short: pauses.short + 1 }, now)
}

function bounded(
  pause: Pick<Pause, 'until' | 'message'>,
  counted: PauseRecord,
  now: number,
): Pause | null {
  const totalMs = counted.totalMs + pause.until - now
  return totalMs > PAUSES_MAX_MS ? null : { ...pause, pauses: { ...counted, totalMs } }
}

const longPauseMs = (pausesBefore: number): number =>
  Math.min(LONG_PAUSE_FIRST_MS * 2 ** pausesBefore, LONG_PAUSE_LAST_MS)

const secondsText = (ms: number): string => `${Math.ceil(ms / 1_000)} s`

/** `14:05`, or `2026-11-24 14:05` on a later day; rounded up: the run goes on then at the latest. */
function timeText(at: number, now: number): string {
  const text = new Date(Math.ceil(at / MINUTE_MS) * MINUTE_MS).toISOString()
  return at - now > DAY_MS ? text.slice(0, 16).replace('T', ' ') : text.slice(11, 16)
}
