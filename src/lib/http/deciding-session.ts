import { Elysia } from 'elysia'
import { clearedSessionCookie } from '../domain/access/sessions/session-cookie.ts'
import type { SessionClaims } from '../domain/access/sessions/session-credentials.ts'
import type { RenewalFailure } from '../domain/access/sessions/session-renewal.ts'
import type { Session } from '../domain/access/sessions/session.ts'
import { err, ok, type Result } from '../result.ts'
import type { HttpFailure } from './problem.ts'
import { contextOf } from './request-context.ts'
import { requireSession } from './session.ts'

export interface DecidingOptions {
  readonly claims: SessionClaims
  readonly secureCookies: boolean
}

export type DecidingFailure =
  | Exclude<RenewalFailure, { kind: 'identity_rejected' }>
  | Extract<HttpFailure, { kind: 'session_invalid' }>

/**
 * For routes where a role decides. They get no session but `decider`, which answers with the session once its claims are recent,
 * renewed at the identity provider if need be. A route calls it after it has parsed its request, so that a request which is not
 * acceptable costs the provider nothing, and before anything that follows from a role.
 */
export const decidingSession = ({ claims, secureCookies }: DecidingOptions) =>
  new Elysia().derive({ as: 'scoped' }, ({ request }) => {
    const session = requireSession(request)
    return { decider: () => decide(request, session, { claims, secureCookies }) }
  })

async function decide(
  request: Request,
  session: Session,
  { claims, secureCookies }: DecidingOptions,
): Promise<Result<Session, DecidingFailure>> {
  const context = contextOf(request)
  const recent = await claims.recent(session, {
    requestId: context.requestId,
    address: context.address,
  })
  if (recent.ok) return ok(recent.value)
  if (recent.error.kind !== 'identity_rejected') return err(recent.error)
  const clearedCookie = clearedSessionCookie({ secure: secureCookies })
  return err({ kind: 'session_invalid', clearedCookie })
}
