import type { Clock } from '../../lib/ports/clock.ts'
import type { Result } from '../../lib/result.ts'

/** The same refusal is logged once in this time: readiness asks every few seconds. */
const REPEATED_AFTER_MS = 60_000
const REMEMBERED_MAX = 1_000

export interface RefusalLogOptions {
  readonly clock: Clock
  readonly log: { readonly warn: (facts: object, system: string) => void }
}

export interface RefusalLog<Failure> {
  readonly note: (call: string, failure: Failure) => void
  /** Notes the failure of an answer, and passes the answer on. */
  readonly noted: <Value, Refusal extends Failure>(
    call: string,
    answer: Promise<Result<Value, Refusal>>,
  ) => Promise<Result<Value, Refusal>>
}

/**
 * A log line for each call of another system that it refused or answered in an unusable way. People learn only that it did; the line
 * has the missing right or the reason, for operators.
 */
export function createRefusalLog<Failure extends { readonly kind: string }>(
  { clock, log }: RefusalLogOptions,
  system: string,
  kinds: readonly Failure['kind'][],
): RefusalLog<Failure> {
  const logged: ReadonlySet<string> = new Set(kinds)
  const loggedAt = new Map<string, number>()

  function note(call: string, failure: Failure): void {
    if (!logged.has(failure.kind)) return
    const key = JSON.stringify([call, failure])
    const now = clock.now()
    const before = loggedAt.get(key)
    if (before !== undefined && now >= before && now - before < REPEATED_AFTER_MS) return
    if (loggedAt.size >= REMEMBERED_MAX) loggedAt.clear()
    loggedAt.set(key, now)
    log.warn({ call, ...failure }, system)
  }

  return {
    note,
    async noted(call, answer) {
      const result = await answer
      if (!result.ok) note(call, result.error)
      return result
    },
  }
}
