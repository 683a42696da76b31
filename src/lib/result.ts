/** Outcome of a call whose failures are expected. Bugs are thrown instead. */
export type Result<Value, Failure> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: Failure }

export const ok = <const Value>(value: Value) => ({ ok: true, value }) as const
export const err = <const Failure>(error: Failure) => ({ ok: false, error }) as const
