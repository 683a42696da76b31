import { Elysia } from 'elysia'
import type { Session } from '../domain/access/sessions/sessions.ts'
import { Refusal } from './problem.ts'
import { contextOf, type RequestContext, type SessionState } from './request-context.ts'

/**
 * A route that uses this plugin gets a typed `session`, and answers 401 without a valid one, before it parses parameters.
 * Routes without the plugin are open; `tests/routes/gates.test.ts` lists them.
 */
export const session = new Elysia({ name: 'session' }).derive(
  { as: 'scoped' },
  ({ request, route }) => ({ session: requireSession(request, route) }),
)

/**
 * The session of a cookie or, in a route that has a scope, of an access token with this scope. `route`: the pattern of the route; a call
 * without it takes cookies alone, or the session that an earlier call has let in.
 */
export function requireSession(request: Request, route?: string): Session {
  const context = contextOf(request)
  if (route !== undefined && context.bearer.kind !== 'none') {
    context.session = admitBearer(request, context, route)
  }
  const { session } = context
  switch (session.kind) {
    case 'active':
      return session.session
    case 'none':
      throw new Refusal({ kind: 'session_required' })
    case 'invalid':
      throw new Refusal({ kind: 'session_invalid' })
    case 'unavailable':
      throw new Refusal({ kind: 'database_unavailable', reason: 'session store' })
  }
}

function admitBearer(
  { method }: Request,
  { bearer, session, publicOrigin, scopeOf }: RequestContext,
  route: string,
): SessionState {
  // Either could have been planted beside the other.
  if (session.kind !== 'none') throw new Refusal({ kind: 'ambiguous_credentials' })
  if (bearer.kind === 'none' || bearer.kind === 'unavailable') return bearer
  if (bearer.kind === 'invalid' || bearer.grant.resource !== publicOrigin) {
    throw new Refusal({ kind: 'token_invalid' })
  }
  const scope = scopeOf(method === 'HEAD' ? 'GET' : method, route)
  if (scope === undefined) throw new Refusal({ kind: 'session_required' })
  if (!bearer.grant.scopes.includes(scope)) {
    throw new Refusal({ kind: 'insufficient_scope', scopes: [scope] })
  }
  return { kind: 'active', session: bearer.session, token: null }
}
