export type Fault =
  /** Somebody else answers; `after` the effect, by default before it. */
  | {
      readonly kind: 'answer'
      readonly status: number
      /** Text is HTML. */
      readonly body: string | object | Uint8Array
      readonly headers?: Readonly<Record<string, string>>
      readonly after?: boolean
    }
  /** The connection is reset; `after` the effect, by default before it. */
  | { readonly kind: 'reset'; readonly after?: boolean }
  /** The body breaks off after so many bytes. */
  | { readonly kind: 'cut'; readonly bytes: number }
  /** The body stops after so many bytes, and the connection stays. */
  | { readonly kind: 'stall'; readonly bytes: number }
  /** `content-length` is so much too large, or too small. */
  | { readonly kind: 'length'; readonly by: number }
  /** The call waits before it has an effect. */
  | { readonly kind: 'wait'; readonly until: Promise<void> }
  /** The answer is another one. */
  | { readonly kind: 'alter'; readonly alter: (body: unknown) => unknown }

export interface FaultRule<Name extends string> {
  readonly on: Name | 'any' | 'any write'
  /** Counted from the rule on, among the calls that it is about; by default 1. */
  readonly nth?: number
  /** How often, from the nth call on; by default once. */
  readonly times?: number
  readonly fault: Fault
}

export interface Faults<Name extends string> {
  plan(rule: FaultRule<Name>): void
  /** Fault of a call that comes in now. */
  next(name: Name, isWrite: boolean): Fault | undefined
  clear(): void
}

export function createFaults<Name extends string>(): Faults<Name> {
  let rules: { readonly rule: FaultRule<Name>; seen: number }[] = []
  return {
    plan: (rule) => void rules.push({ rule, seen: 0 }),
    next(name, isWrite) {
      let found: Fault | undefined
      for (const state of rules) {
        const { on, nth = 1, times = 1, fault } = state.rule
        if (!(on === name || on === 'any' || (on === 'any write' && isWrite))) continue
        state.seen += 1
        if (state.seen >= nth && state.seen < nth + times) found ??= fault
      }
      return found
    },
    clear() {
      rules = []
    },
  }
}
