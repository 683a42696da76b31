export interface CallObserver {
  /** Called when an answer begins: a promise settled, or the first item arrived. `failure` is the kind of the answer's or item's failure. */
  answered(call: string, seconds: number, failure?: string): void
  /** Called when a call, or an item of its answer, failed. */
  failed(call: string, kind: string): void
}

/** Kind of thrown errors, which are bugs. */
const THROWN = 'thrown'

/**
 * Wraps a port so that every method that returns a promise or an async iterable is counted. Calls are named by method, those of
 * a nested port `port.method`. Arguments are never read. Of results only `error.kind` of a `Result` and `kind` of a
 * cluster probe are read; both come from a closed set.
 */
export function meteredPort<Port extends object>(
  port: Port,
  observer: CallObserver,
  prefix = '',
): Port {
  const members = new Map<string | symbol, unknown>()
  return new Proxy(port, {
    get(target, key) {
      const cached = members.get(key)
      if (cached !== undefined) return cached
      const member: unknown = Reflect.get(target, key)
      const metered =
        typeof key === 'string'
          ? meteredMember(target, member, `${prefix}${key}`, observer)
          : member
      members.set(key, metered)
      return metered
    },
  })
}

function meteredMember(port: object, member: unknown, call: string, observer: CallObserver) {
  if (typeof member === 'function') return meteredMethod(port, member, call, observer)
  if (typeof member !== 'object' || member === null) return member
  return meteredPort(member, observer, `${call}.`)
}

const meteredMethod =
  (port: object, method: Function, call: string, observer: CallObserver) =>
  (...args: readonly unknown[]): unknown => {
    const startedAt = performance.now()
    const answered = (first?: unknown) =>
      observer.answered(call, (performance.now() - startedAt) / 1_000, failureOf(first))
    const note = (value: unknown) => {
      const kind = failureOf(value)
      if (kind !== undefined) observer.failed(call, kind)
    }
    const answer: unknown = Reflect.apply(method, port, args)
    if (isIterable(answer)) return meteredItems(answer, answered, note)
    if (!(answer instanceof Promise)) return answer
    return answer.then(
      (value: unknown) => {
        answered(value)
        note(value)
        return value
      },
      (error: unknown) => {
        answered({ ok: false, error: { kind: THROWN } })
        observer.failed(call, THROWN)
        throw error
      },
    )
  }

/** Measures the time to the first item; the time of the others depends on the reader. */
async function* meteredItems(
  items: AsyncIterable<unknown>,
  answered: (first?: unknown) => void,
  note: (item: unknown) => void,
): AsyncGenerator {
  let isFirst = true
  try {
    for await (const item of items) {
      if (isFirst) answered(item)
      isFirst = false
      note(item)
      yield item
    }
  } catch (error) {
    note({ ok: false, error: { kind: THROWN } })
    throw error
  } finally {
    if (isFirst) answered()
  }
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

/** Kinds of a cluster probe that are failures; a probe is not a `Result`. */
const PROBE_FAILURES = new Set<unknown>(['unreachable', 'not_ready'])

function failureOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if ('ok' in value) return value.ok === false && 'error' in value ? kindOf(value.error) : undefined
  return 'kind' in value && PROBE_FAILURES.has(value.kind) ? kindOf(value) : undefined
}

function kindOf(failure: unknown): string | undefined {
  const hasKind = typeof failure === 'object' && failure !== null && 'kind' in failure
  return hasKind && typeof failure.kind === 'string' ? failure.kind : undefined
}
