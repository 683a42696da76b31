import type { Logger } from 'pino'
import { isCrossSite } from '../domain/access/cross-site.ts'
import { clearedSessionCookie, readSessionCookie } from '../domain/access/session-cookie.ts'
import type { Sessions } from '../domain/access/sessions.ts'
import type { AccessLog } from '../logging/access-log.ts'
import { corsHeaders } from './cors.ts'
import { andThen, type NowOrLater } from './now-or-later.ts'
import { problem } from './problem.ts'
import { requestIdOf, secure } from './security-headers.ts'
import { pathOf, routable } from './request-path.ts'
import { type RequestContext, type SessionState, setContext } from './request-context.ts'

export interface EdgeOptions {
  readonly route: (request: Request) => NowOrLater<Response>
  readonly sessions: Pick<Sessions, 'resolve'>
  readonly publicUrl: URL
  /** Further values of `Host` that are served. */
  readonly allowedHosts: readonly string[]
  /** Origins that may make writing requests besides our own. */
  readonly trustedOrigins: readonly string[]
  readonly access: Pick<AccessLog, 'record'>
  readonly log: Pick<Logger, 'error'>
}

/** Asked by a kubelet or a load balancer, which call us by address. */
const PROBES = new Set(['/healthz', '/readyz'])

/**
 * The first and last that sees a request: request id, host, cross-site check, who is asking, security headers, log line.
 * It decides nothing by path but that probes take any host; what a session may do is decided at the matched route.
 */
export function createEdge({
  route,
  sessions,
  publicUrl,
  allowedHosts,
  trustedOrigins,
  access,
  log,
}: EdgeOptions): (request: Request) => NowOrLater<Response> {
  const hosts = new Set([publicUrl.host, ...allowedHosts].map((host) => host.toLowerCase()))
  const ownOrigins = [publicUrl.origin]
  const origins = new Set(trustedOrigins)
  const isHttps = publicUrl.protocol === 'https:'
  const invalid: SessionState = {
    kind: 'invalid',
    clearedCookie: clearedSessionCookie({ secure: isHttps }),
  }

  function refuse(request: Request, path: string): Response | undefined {
    const host = request.headers.get('host')?.toLowerCase() ?? ''
    if (!hosts.has(host) && !PROBES.has(path))
      return problem(request, { kind: 'misdirected_request' })
    if (isCrossSite(request, ownOrigins, trustedOrigins)) {
      return problem(request, { kind: 'cross_site_request' })
    }
    return undefined
  }

  function whoAsks(request: Request): NowOrLater<SessionState> {
    const cookie = readSessionCookie(request.headers.get('cookie'))
    if (cookie.kind === 'none') return NO_SESSION
    if (cookie.kind !== 'token') return invalid
    const { token } = cookie
    return andThen(sessions.resolve(token), (outcome): SessionState => {
      if (outcome.kind === 'active') return { kind: 'active', session: outcome.session, token }
      return outcome.kind === 'invalid' ? invalid : outcome
    })
  }

  function complete(request: Request, response: Response, path: string, requestId: string) {
    const { headers } = response
    headers.set('x-request-id', requestId)
    secure(headers)
    if (path.startsWith('/api') && !headers.has('cache-control'))
      headers.set('cache-control', 'no-store')
    if (origins.size > 0) {
      headers.append('vary', 'origin')
      const cors = corsHeaders(request, origins) ?? {}
      for (const [name, value] of Object.entries(cors)) headers.set(name, value)
    }
    if (isHttps) headers.set('strict-transport-security', 'max-age=31536000; includeSubDomains')
    return response
  }

  return (asked) => {
    const startedAt = performance.now()
    const request = routable(asked)
    const path = pathOf(request)
    const requestId = requestIdOf(request)
    const context: RequestContext = { requestId, path, session: NO_SESSION }
    setContext(request, context)

    const finish = (response: Response): Response => {
      const { session } = context
      access.record({
        requestId,
        method: request.method,
        path,
        status: response.status,
        ms: performance.now() - startedAt,
        subject: session.kind === 'active' ? session.session.principal.subject : null,
      })
      return complete(request, response, path, requestId)
    }
    const fail = (error: unknown): Response => {
      log.error({ requestId, path, err: error }, 'unexpected error')
      return finish(problem(request, { kind: 'internal_error' }))
    }
    const proceed = (state: SessionState): NowOrLater<Response> => {
      context.session = state
      return andThen(route(request), finish)
    }

    try {
      const refusal = refuse(request, path)
      if (refusal !== undefined) return finish(refusal)
      const answer = andThen(whoAsks(request), proceed)
      return answer instanceof Promise ? answer.catch(fail) : answer
    } catch (error) {
      return fail(error)
    }
  }
}

const NO_SESSION: SessionState = { kind: 'none' }
