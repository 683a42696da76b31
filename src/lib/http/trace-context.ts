import type { TraceContext } from '../ports/clusters.ts'

/** Version 00 has 55 characters, later ones may have more; `ff` is not a version, and zeros are not an id (§3.2.2). */
const TRACEPARENT =
  /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-[\x21-\x7e]{0,200})?$/
/** The length that every participant must propagate (§3.3.1.5). */
const TRACESTATE = /^[\x20-\x7e]{1,512}$/

/** The trace context of a request, passed on unchanged. */
export function traceOf({ headers }: Request): TraceContext | null {
  const traceparent = headers.get('traceparent')
  if (traceparent === null || !TRACEPARENT.test(traceparent)) return null
  const tracestate = headers.get('tracestate')
  const isKept = tracestate !== null && TRACESTATE.test(tracestate)
  return { traceparent, ...(isKept && { tracestate }) }
}
