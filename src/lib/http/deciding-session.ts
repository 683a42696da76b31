import { Elysia } from 'elysia'
import type { SessionClaims } from '../domain/access/sessions/session-credentials.ts'
import type { RenewalFailure } from '../domain/access/sessions/session-renewal.ts'
import type { Session } from '../domain/access/sessions/session.ts'
import { err, type Result } from '../result.ts'
import type { HttpFailure } from './failure.ts'
import { contextOf } from './request-context.ts'
import { requireSession } from './session.ts'

export type DecidingFailure =
  | Exclude<RenewalFailure, { kind: 'identity_rejected' }>
  | Extract<HttpFailure, { kind: 'session_invalid' }>

export type Decider = () => Promise<Result<Session, DecidingFailure>>

/** The session of a request with claims that are recent enough for a decision, renewed at the identity provider if need be. */
export async function recentSession(
  claims: SessionClaims,
  request: Request,
): Promise<Result<Session, DecidingFailure>> {
  const session = requireSession(request)
  const context = contextOf(request)
  const recent = await claims.recent(session, context)
  if (recent.ok) {
    // The answer speaks of the groups that decided.
    if (context.session.kind === 'active') {
      context.session = { ...context.session, session: recent.value }
    }
    return recent
  }
  const { error } = recent
  return err(error.kind === 'identity_rejected' ? { kind: 'session_invalid' } : error)
}

/**
 * For routes where a role decides. They get no session but `decider`, which answers with the session once its claims are recent. A
 * route calls it after it has parsed its request, so that a request which is not acceptable costs the provider nothing, and before
 * anything that follows from a role.
 */
export const decidingSession = (claims: SessionClaims) =>
  new Elysia().derive({ as: 'scoped' }, ({ request, route }) => {
    requireSession(request, route)
    const decider: Decider = () => recentSession(claims, request)
    return { decider }
  })
