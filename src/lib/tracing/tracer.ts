import { traceOf } from '../http/trace-context.ts'
import { pathOf, routable } from '../http/request-path.ts'
import { observedPort } from '../metrics/observed-port.ts'
import type { PortName } from '../metrics/metrics.ts'
import { createRouteFinder } from '../metrics/route-finder.ts'
import { activeSpan, KIND, newId, nowMs, type Span, withSpan } from './span.ts'

/** Asked every few seconds by machines. */
const PROBES: readonly string[] = ['/healthz', '/readyz']
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
/** Names of the specification for methods that clients made up. */
const OTHER_METHOD = '_OTHER'
const OTHER_NAME = 'HTTP'
/** Bit of `traceparent`. */
const SAMPLED = 1
/** Number of values of the last 56 bits of a trace id, which are random. */
const IDS = 2 ** 56

export interface Sampling {
  readonly followsParent: boolean
  /** From 0 to 1. */
  readonly share: number
}

type Fetch<Peers> = (request: Request, peers: Peers) => Response | Promise<Response>

/** Spans of requests and of what they call. They have routes, never paths, and no persons, values or messages. */
export function createTracer(sampling: Sampling, ended: (span: Span) => void) {
  /** The trace that a request belongs to, and whether it is recorded. */
  function begin(request: Request) {
    const [, traceId, parentId, flags = '0'] = traceOf(request)?.traceparent.split('-') ?? []
    const id = traceId ?? newId(16)
    const isParents = sampling.followsParent && traceId !== undefined
    const isSampled = isParents
      ? (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED
      : Number.parseInt(id.slice(-14), 16) < sampling.share * IDS
    return isSampled ? { traceId: id, parentId: parentId ?? null } : null
  }

  return {
    /** Wraps the application. A span ends when the answer begins. */
    fetch<Peers>(answer: Fetch<Peers>, routes: readonly string[]): Fetch<Peers> {
      const routeOf = createRouteFinder(routes)
      return async (request, peers) => {
        const path = pathOf(routable(request))
        const trace = PROBES.includes(path) ? null : begin(request)
        if (trace === null) return answer(request, peers)
        const route = routeOf(path)
        const span = {
          traceId: trace.traceId,
          spanId: newId(8),
          request: { isAnswered: false },
          ended,
        }
        const startedAt = nowMs()
        const method = METHODS.includes(request.method) ? request.method : OTHER_METHOD
        const end = (response: Response | null) => {
          span.request.isAnswered = true
          const status = response?.status ?? 500
          ended({
            traceId: span.traceId,
            spanId: span.spanId,
            parentId: trace.parentId,
            kind: KIND.server,
            name: `${method === OTHER_METHOD ? OTHER_NAME : method}${route === undefined ? '' : ` ${route}`}`,
            startedAt,
            endedAt: nowMs(),
            attributes: {
              'http.request.method': method,
              'http.response.status_code': status,
              ...(route !== undefined && { 'http.route': route }),
              'portico.request_id': response?.headers.get('x-request-id') ?? '',
            },
            failure: status >= 500 ? String(status) : null,
          })
        }
        try {
          const response = await withSpan(span, () => answer(request, peers))
          end(response)
          return response
        } catch (error) {
          end(null)
          throw error
        }
      }
    },

    /** Wraps a port. Calls that no traced request makes have no span. */
    port: <Port extends object>(name: PortName, port: Port): Port =>
      observedPort(port, {
        answered(call, seconds, failure) {
          const parent = activeSpan()
          if (parent === undefined) return
          const endedAt = nowMs()
          parent.ended({
            traceId: parent.traceId,
            spanId: newId(8),
            parentId: parent.spanId,
            kind: KIND.client,
            name: `${name} ${call}`,
            startedAt: endedAt - seconds * 1_000,
            endedAt,
            attributes: { 'portico.port': name, 'portico.call': call },
            failure: failure?.kind ?? null,
          })
        },
        failed() {},
      }),
  }
}
