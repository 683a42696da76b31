import type { Logger } from 'pino'
import { isCrossSite } from '../domain/access/cross-site.ts'
import { findGrant } from '../domain/access/grants/find-grant.ts'
import { readSessionCookie } from '../domain/access/sessions/session-cookie.ts'
import type { SessionClaims } from '../domain/access/sessions/session-credentials.ts'
import type { Sessions } from '../domain/access/sessions/sessions.ts'
import { onBehalfOf } from '../concurrency/on-behalf-of.ts'
import type { AccessLog } from '../logging/access-log.ts'
import type { Admission } from './admission.ts'
import type { ClientAddress, PeerSource } from './client-address.ts'
import { subscriberOf } from '../text/ip-address.ts'
import { corsHeaders } from './cors.ts'
import { problem } from './problem.ts'
import { requestIdOf, secure } from './security-headers.ts'
import { pathOf, routable } from './request-path.ts'
import {
  type BearerState,
  type RequestContext,
  type ScopeOf,
  type SessionState,
  setContext,
  contextOf,
} from './request-context.ts'

export interface EdgeOptions {
  readonly route: (request: Request) => Response | Promise<Response>
  readonly sessions: Pick<Sessions, 'resolve'>
  readonly admission: Admission
  readonly claims: SessionClaims
  readonly scopeOf: ScopeOf
  readonly publicUrl: URL
  readonly hasConsole: boolean
  /** Accepted values of `Host` besides that of `publicUrl`. */
  readonly allowedHosts: readonly string[]
  /** Origins that may write, besides that of `publicUrl`. */
  readonly trustedOrigins: readonly string[]
  readonly clientAddress: ClientAddress
  readonly access: Pick<AccessLog, 'record'>
  readonly log: Pick<Logger, 'error'>
}

/** Probed by kubelets and load balancers, which address the service by IP. */
const PROBES = new Set(['/healthz', '/readyz'])
/** Git hosts do not ask again. A call costs next to nothing: all that come during one load share the next. */
const UNQUEUED = new Set([...PROBES, '/api/v1/webhooks/catalog/refresh'])

const READING = new Set(['GET', 'HEAD'])

/** `navigate` is a person who opens a page (Fetch Metadata, `Sec-Fetch-Mode`). */
const isFromScript = ({ headers }: Request): boolean =>
  (headers.get('sec-fetch-mode') ?? 'navigate') !== 'navigate'

/**
 * Wraps the router: request id, client address, host check, cross-site check, session, admission, security headers, access log. The only
 * decisions by path: probes take any host, and probes and the catalog webhook skip admission. The matched route decides what a session may do.
 */
export function createEdge(
  options: EdgeOptions,
): (request: Request, peers?: PeerSource) => Promise<Response> {
  const {
    route,
    sessions,
    admission,
    claims,
    scopeOf,
    publicUrl,
    hasConsole,
    allowedHosts,
    trustedOrigins,
    clientAddress,
    access,
    log,
  } = options
  const hosts = new Set([...hostsOf(publicUrl), ...allowedHosts].map((host) => host.toLowerCase()))
  const ownOrigins = [publicUrl.origin]
  const origins = new Set(trustedOrigins)
  const isHttps = publicUrl.protocol === 'https:'

  function refuse(request: Request, path: string): Response | undefined {
    const host = request.headers.get('host')?.toLowerCase() ?? ''
    if (!hosts.has(host) && !PROBES.has(path))
      return problem(request, { kind: 'misdirected_request' })
    if (isCrossSite(request, ownOrigins, trustedOrigins)) {
      return problem(request, { kind: 'cross_site_request' })
    }
    return undefined
  }

  async function sessionOf(request: Request): Promise<SessionState> {
    const cookie = readSessionCookie(request.headers.get('cookie'))
    if (cookie.kind === 'none') return NO_SESSION
    if (cookie.kind !== 'token') return INVALID
    const { token } = cookie
    const isReading = READING.has(request.method)
    const resolved = await sessions.resolve(token, isReading ? 'reading' : 'deciding')
    if (resolved.kind === 'active') return { kind: 'active', session: resolved.session, token }
    if (resolved.kind !== 'unconfirmed') return resolved
    // Nothing is decided by a session that may have ended.
    return isReading
      ? { kind: 'active', session: resolved.session, token, isUnconfirmed: true }
      : { kind: 'unavailable' }
  }

  /** Waits for the turn of a request. A request whose client leaves meanwhile is not begun. */
  async function queue(request: Request, person: string | null): Promise<Response | undefined> {
    const { signal } = request
    try {
      if (await admission.wait(person, signal)) return undefined
    } catch (error) {
      if (signal.aborted) return problem(request, { kind: 'client_left' })
      throw error
    }
    return problem(request, { kind: 'overloaded' })
  }

  async function bearerOf(request: Request, context: RequestContext): Promise<BearerState> {
    const header = request.headers.get('authorization')
    if (header === null || !/^bearer\b/i.test(header)) return NO_BEARER
    const token = BEARER.exec(header)?.[1]
    return token === undefined ? INVALID : findGrant(sessions, claims, token, context)
  }

  function complete(request: Request, response: Response, path: string, requestId: string) {
    const { headers } = response
    headers.set('x-request-id', requestId)
    if (isReadOnly(request)) headers.set('x-portico-read-only', 'database')
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

  return async (received, peers) => {
    const startedAt = performance.now()
    const request = routable(received)
    const path = pathOf(request)
    const requestId = requestIdOf(request)
    const address = clientAddress(received, peers)
    const client = address === null ? null : subscriberOf(address)
    const context: RequestContext = {
      requestId,
      path,
      address,
      publicOrigin: publicUrl.origin,
      secureCookies: isHttps,
      hasConsole,
      isFromScript: isFromScript(request),
      session: NO_SESSION,
      bearer: NO_BEARER,
      scopeOf,
    }
    setContext(request, context)

    async function answer(): Promise<Response> {
      const refusal = refuse(request, path)
      if (refusal !== undefined) return refusal
      context.session = await onBehalfOf(client, () => sessionOf(request))
      context.bearer = await onBehalfOf(client, () => bearerOf(request, context))
      if (UNQUEUED.has(path)) return route(request)
      // A request with a good cookie and a good token, which most routes refuse, counts for the person of the cookie.
      const [active] = [context.session, context.bearer].filter((state) => state.kind === 'active')
      const person = active?.session.principal.subject ?? client
      if (!admission.enter(person)) {
        const refusal = await queue(request, person)
        if (refusal !== undefined) return refusal
      }
      let isHeld = true
      const leave = () => {
        if (isHeld) admission.leave(person)
        isHeld = false
      }
      try {
        return await onBehalfOf(person, () => route(request), leave)
      } finally {
        leave()
      }
    }
    const finish = (response: Response) => complete(request, response, path, requestId)
    const response = await answer()
      .then(finish)
      .catch((error: unknown) => {
        log.error({ requestId, path, err: error }, 'unexpected error')
        return finish(problem(request, { kind: 'internal_error' }))
      })
    const { session } = context
    access.record({
      requestId,
      method: request.method,
      path,
      status: response.status,
      ms: performance.now() - startedAt,
      address,
      subject: session.kind === 'active' ? session.session.principal.subject : null,
    })
    return response
  }
}

/** The values of `Host` for an address: some clients and proxies name the default port (RFC 9110 §4.2.3). */
function hostsOf({ protocol, host, port }: URL): readonly string[] {
  if (port !== '') return [host]
  return [host, `${host}:${protocol === 'https:' ? 443 : 80}`]
}

function isReadOnly(request: Request): boolean {
  const { session } = contextOf(request)
  return session.kind === 'active' && session.isUnconfirmed === true
}

const NO_SESSION: SessionState = { kind: 'none' }
const NO_BEARER: BearerState = { kind: 'none' }
const INVALID = { kind: 'invalid' } as const
/** RFC 6750 §2.1. */
const BEARER = /^Bearer +([\x21-\x7e]{1,512})$/i
