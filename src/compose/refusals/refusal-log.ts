import type { Outages } from '../../lib/logging/outages.ts'
import type { Result } from '../../lib/result.ts'

/** Kinds of failures that are logged: of a system that does not work, and of what it refuses. */
export interface LoggedKinds<Kind extends string> {
  readonly outages: readonly Kind[]
  readonly refusals: readonly Kind[]
}

export interface RefusalLog<Failure> {
  readonly note: (call: string, answer: Result<unknown, Failure>) => void
  /** Notes the failure of an answer, and passes the answer on. */
  readonly noted: <Value, Refusal extends Failure>(
    call: string,
    answer: Promise<Result<Value, Refusal>>,
  ) => Promise<Result<Value, Refusal>>
}

/**
 * A log line for the calls of another system that it refused or answered in an unusable way. People learn only that it did; the line
 * has the missing right or the reason, for operators.
 */
export function createRefusalLog<Failure extends { readonly kind: string }>(
  outages: Outages,
  system: string,
  kinds: LoggedKinds<Failure['kind']>,
): RefusalLog<Failure> {
  const { outages: failing, refusals }: LoggedKinds<string> = kinds

  const note: RefusalLog<Failure>['note'] = (call, answer) => {
    const called = `${call} of the ${system}`
    if (answer.ok) return outages.worked(called)
    const { error } = answer
    const cause = JSON.stringify(error)
    const facts = { call, ...error }
    if (failing.includes(error.kind)) outages.failed(called, cause, facts, system)
    if (refusals.includes(error.kind)) outages.refused(`rights of ${called}`, cause, facts, system)
  }

  return {
    note,
    async noted(call, answer) {
      const result = await answer
      note(call, result)
      return result
    },
  }
}
