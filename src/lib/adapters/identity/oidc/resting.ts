import type { Clock } from '../../../ports/clock.ts'

/** `issuer`: the token came from the provider over TLS. `anybody`: anybody who reaches the portal may have sent it. */
export type TokenSource = 'issuer' | 'anybody'

const REST_MS = 1_000

/** Repeats the failure of a load for a second to tokens that anybody can send. Other callers load again. */
export function resting<Value>(load: (signal: AbortSignal) => Promise<Value>, clock: Clock) {
  let failed: { readonly error: unknown; readonly at: number } | undefined

  return async (signal: AbortSignal, source: TokenSource): Promise<Value> => {
    const age = failed === undefined ? -1 : clock.now() - failed.at
    if (source === 'anybody' && age >= 0 && age < REST_MS) throw failed?.error
    try {
      const value = await load(signal)
      failed = undefined
      return value
    } catch (error) {
      failed = { error, at: clock.now() }
      throw error
    }
  }
}
