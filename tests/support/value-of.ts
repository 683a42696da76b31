import type { Result } from '#src/lib/result.ts'

/** The value of an outcome that a test relies on. Throws the failure of any other. */
export function valueOf<Value>(outcome: Result<Value, unknown>): Value {
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.error))
  return outcome.value
}
