import type { GrantLookup } from '../domain/access/grants/find-grant.ts'
import type { Scope } from '../domain/access/grants/scope.ts'
import type { Session } from '../domain/access/sessions/sessions.ts'

/** Facts that the edge establishes before a route sees the request. */
export interface RequestContext {
  readonly requestId: string
  /** Origin of the public URL. */
  readonly publicOrigin: string
  /** Path as the client sent it, without the query. */
  readonly path: string
  /** Address of the client behind trusted proxies; `null` without a TCP connection. */
  readonly address: string | null
  /** Whether browsers send our cookies over https only. */
  readonly secureCookies: boolean
  /** Whether the pages of the console are served. */
  readonly hasConsole: boolean
  /** A script of a page sent it, by Fetch Metadata; other clients do not say. */
  readonly isFromScript: boolean
  session: SessionState
  /** State of the `Authorization` header, which becomes the session only in routes with a scope. */
  bearer: BearerState
  readonly scopeOf: ScopeOf
}

export type SessionState =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'active'
      readonly session: Session
      /** `null` of a grant. */
      readonly token: string | null
      /** The session store is away: the session is good for reading. */
      readonly isUnconfirmed?: boolean
    }
  /** The cookie is unknown, expired, malformed or ambiguous. */
  | { readonly kind: 'invalid' }
  /** The session store did not answer. */
  | { readonly kind: 'unavailable' }

/** The scope of a route by method and pattern; `undefined` for routes that take sessions of browsers only. */
export type ScopeOf = (method: string, route: string) => Scope | undefined

export type BearerState = { readonly kind: 'none' } | GrantLookup

const contexts = new WeakMap<Request, RequestContext>()

export function setContext(request: Request, context: RequestContext): void {
  contexts.set(request, context)
}

/** Throws for a request that did not pass the edge. */
export function contextOf(request: Request): RequestContext {
  const context = contexts.get(request)
  if (context === undefined) throw new Error('the request did not come through the edge')
  return context
}
