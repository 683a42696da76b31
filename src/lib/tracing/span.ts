import { AsyncLocalStorage } from 'node:async_hooks'

export type Attributes = Readonly<Record<string, string | number>>

/** Values of OTLP. */
export const KIND = { internal: 1, server: 2, client: 3 } as const

/** A piece of work that has ended. Times are in milliseconds since the Unix epoch. */
export interface Span {
  /** 32 and 16 hexadecimal digits. */
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | null
  readonly kind: (typeof KIND)[keyof typeof KIND]
  readonly name: string
  readonly startedAt: number
  readonly endedAt: number
  readonly attributes: Attributes
  /** Kind of the failure, which is never a message; `null` for a success. */
  readonly failure: string | null
}

export interface ActiveSpan {
  readonly traceId: string
  readonly spanId: string
  /** Loops and runs that a request has begun keep its context for hours: what they do after the answer is not traced. */
  readonly request: { isAnswered: boolean }
  readonly ended: (span: Span) => void
}

const active = new AsyncLocalStorage<ActiveSpan>()

/** `undefined`: this work is not traced. */
export function activeSpan(): ActiveSpan | undefined {
  const span = active.getStore()
  return span?.request.isAnswered === true ? undefined : span
}
export const withSpan = <Value>(span: ActiveSpan, work: () => Value): Value =>
  active.run(span, work)

/** Milliseconds since the Unix epoch, with fractions, steadily. */
export const nowMs = (): number => performance.timeOrigin + performance.now()

export function newId(bytes: 8 | 16): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toHex()
}

/** Does a part of a request's work. What it calls belongs to it. */
export async function inSpan<Value>(
  name: string,
  attributes: Attributes,
  work: () => Promise<Value>,
): Promise<Value> {
  const parent = activeSpan()
  if (parent === undefined) return work()
  const span = { ...parent, spanId: newId(8) }
  const startedAt = nowMs()
  let failure: string | null = 'thrown'
  try {
    const value = await withSpan(span, work)
    failure = null
    return value
  } finally {
    const { traceId, spanId, ended } = span
    ended({
      traceId,
      spanId,
      parentId: parent.spanId,
      kind: KIND.internal,
      name,
      startedAt,
      endedAt: nowMs(),
      attributes,
      failure,
    })
  }
}
