import type { Result } from '../../lib/result.ts'

/** Seeding writes into an empty folder of its own: whatever fails there is a bug or a broken disk. */
export function must<Value>(result: Result<Value, object>): Value {
  if (result.ok) return result.value
  throw new Error(`the demo data could not be written: ${JSON.stringify(result.error)}`)
}
