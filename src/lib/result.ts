/** Outcome of a call whose failures are expected. Bugs are thrown instead. */
export type Result<Value, Failure> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: Failure }

export const ok = <const Value>(value: Value) => ({ ok: true, value }) as const
export const err = <const Failure>(error: Failure) => ({ ok: false, error }) as const

type Outcome = Result<unknown, unknown>
export type ValueOf<Given> = Given extends { readonly ok: true; readonly value: infer Value }
  ? Value
  : never
type FailureOf<Given> = Given extends { readonly ok: false; readonly error: infer Failure }
  ? Failure
  : never

/** The values of calls that run at once, or the first failure in their order. */
export function allOk<const Calls extends readonly (Outcome | Promise<Outcome>)[]>(
  calls: Calls,
): Promise<
  Result<
    { readonly [Index in keyof Calls]: ValueOf<Awaited<Calls[Index]>> },
    FailureOf<Awaited<Calls[number]>>
  >
>
export async function allOk(calls: readonly (Outcome | Promise<Outcome>)[]): Promise<Outcome> {
  const values: unknown[] = []
  for (const outcome of await Promise.all(calls.map(async (call) => call))) {
    if (!outcome.ok) return outcome
    values.push(outcome.value)
  }
  return ok(values)
}
