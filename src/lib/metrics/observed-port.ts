import { isObject } from '../text/json.ts'

/** A failure of a `Result` or of a cluster probe, or an exception. */
export interface FailedCall {
  readonly kind: string
}

export interface CallObserver {
  /** Called when an answer begins: a promise settled, or the first item arrived. `failure`: that of the answer or item. */
  answered(call: string, seconds: number, failure?: FailedCall): void
  /** Called when a call, or an item of its answer, failed. */
  failed(call: string, failure: FailedCall): void
}

/** Failure of a call that throws, which is a bug. */
const THROWN: FailedCall = { kind: 'thrown' }

/**
 * Wraps a port so that the observer is told of every method that returns a promise or an async iterable. Calls are named by method, those
 * of a nested port `port.method`. Arguments are never read. Of results only the failures of a `Result` and of a cluster probe are read;
 * their kinds come from a closed set.
 */
export function observedPort<Port extends object>(
  port: Port,
  observer: CallObserver,
  prefix = '',
): Port {
  const members = new Map<string | symbol, { readonly given: unknown; readonly shown: unknown }>()
  return new Proxy(port, {
    get(target, key) {
      const given: unknown = Reflect.get(target, key)
      const known = members.get(key)
      if (known !== undefined && known.given === given) return known.shown
      const shown =
        typeof key === 'string' ? observedMember(target, given, `${prefix}${key}`, observer) : given
      members.set(key, { given, shown })
      return shown
    },
  })
}

function observedMember(port: object, member: unknown, call: string, observer: CallObserver) {
  if (typeof member === 'function') return observedMethod(port, member, call, observer)
  if (typeof member !== 'object' || member === null) return member
  return observedPort(member, observer, `${call}.`)
}

const observedMethod =
  (port: object, method: Function, call: string, observer: CallObserver) =>
  (...args: readonly unknown[]): unknown => {
    const startedAt = performance.now()
    const answered = (failure?: FailedCall) =>
      observer.answered(call, (performance.now() - startedAt) / 1_000, failure)
    const note = (failure?: FailedCall) => failure && observer.failed(call, failure)

    const answer: unknown = Reflect.apply(method, port, args)
    if (isIterable(answer)) return observedItems(answer, answered, note)
    if (!(answer instanceof Promise)) return answer
    return answer.then(
      (value: unknown) => {
        answered(failureOf(value))
        note(failureOf(value))
        return value
      },
      (error: unknown) => {
        answered(THROWN)
        note(THROWN)
        throw error
      },
    )
  }

/** Measures the time to the first item; the time of the others depends on the reader. */
async function* observedItems(
  items: AsyncIterable<unknown>,
  answered: (failure?: FailedCall) => void,
  note: (failure?: FailedCall) => void,
): AsyncGenerator {
  let isFirst = true
  try {
    for await (const item of items) {
      const failure = failureOf(item)
      if (isFirst) answered(failure)
      isFirst = false
      note(failure)
      yield item
    }
  } catch (error) {
    if (isFirst) answered(THROWN)
    isFirst = false
    note(THROWN)
    throw error
  } finally {
    if (isFirst) answered()
  }
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

/** Kinds of a cluster probe that are failures; a probe is not a `Result`. */
const PROBE_FAILURES = new Set<unknown>(['unreachable', 'not_ready'])

function failureOf(value: unknown): FailedCall | undefined {
  if (!isObject(value)) return undefined
  if (value['ok'] === false) return hasKind(value['error']) ? value['error'] : undefined
  return hasKind(value) && PROBE_FAILURES.has(value.kind) ? value : undefined
}

const hasKind = (failure: unknown): failure is FailedCall =>
  isObject(failure) && typeof failure['kind'] === 'string'
