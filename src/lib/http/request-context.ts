import type { Session } from '../domain/access/sessions.ts'

/** What the edge knows of a request before any route sees it. */
export interface RequestContext {
  readonly requestId: string
  /** Path as it was asked for, without the query. */
  readonly path: string
  session: SessionState
}

export type SessionState =
  | { readonly kind: 'none' }
  | { readonly kind: 'active'; readonly session: Session; readonly token: string }
  /** A cookie that is no session: unknown, expired, malformed or ambiguous. */
  | { readonly kind: 'invalid'; readonly clearedCookie: string }
  /** The store could not be asked. */
  | { readonly kind: 'unavailable' }

const contexts = new WeakMap<Request, RequestContext>()

export function setContext(request: Request, context: RequestContext): void {
  contexts.set(request, context)
}

/** Every request came through the edge, which made the context. */
export function contextOf(request: Request): RequestContext {
  const context = contexts.get(request)
  if (context === undefined) throw new Error('the request did not come through the edge')
  return context
}
