/** What is told of the calls to a port. */
export interface CallObserver {
  /** An answer began: a promise was kept, the first item came. */
  answered(call: string, seconds: number): void
  /** A call, or an item of its answer, was a failure of this kind. */
  failed(call: string, kind: string): void
}

/** A bug, or what no failure was made of. */
const THROWN = 'thrown'

/**
 * A port whose calls are counted, whatever its methods are: every member that answers with a promise or with items. Calls are
 * named by method, those of a port within the port with a dot. What is passed in is not looked at; of what comes out only
 * `error.kind` of a `Result` and `kind` of a cluster probe are, which are words of ours.
 */
export function meteredPort<Port extends object>(
  port: Port,
  observer: CallObserver,
  prefix = '',
): Port {
  const members = new Map<string | symbol, unknown>()
  return new Proxy(port, {
    get(target, key) {
      const known = members.get(key)
      if (known !== undefined) return known
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
  (...given: readonly unknown[]): unknown => {
    const startedAt = performance.now()
    const answered = () => observer.answered(call, (performance.now() - startedAt) / 1_000)
    const note = (value: unknown) => {
      const kind = failureOf(value)
      if (kind !== undefined) observer.failed(call, kind)
    }
    const answer: unknown = Reflect.apply(method, port, given)
    if (isIterable(answer)) return meteredItems(answer, answered, note)
    if (!(answer instanceof Promise)) return answer
    return answer.then(
      (value: unknown) => {
        answered()
        note(value)
        return value
      },
      (error: unknown) => {
        answered()
        observer.failed(call, THROWN)
        throw error
      },
    )
  }

/** How long all items take is up to who reads them; how long the first takes is not. */
async function* meteredItems(
  items: AsyncIterable<unknown>,
  answered: () => void,
  note: (item: unknown) => void,
): AsyncGenerator {
  let isFirst = true
  try {
    for await (const item of items) {
      if (isFirst) answered()
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

/** A probe is no `Result`: these two of its kinds mean that nothing can be asked of the cluster. */
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
