import { Elysia } from 'elysia'
import type { Session } from '../domain/access/sessions.ts'
import { Refusal } from './problem.ts'
import { contextOf } from './request-context.ts'

/**
 * Routes that `.use(session)` answer 401 without a valid session, before their parameters are looked at, and get
 * `session` typed. Routes that do not are open: `tests/routes/gates.test.ts` holds the list of those.
 */
export const session = new Elysia({ name: 'session' }).derive({ as: 'scoped' }, ({ request }) => ({
  session: requireSession(request),
}))

/** For routes whose configuration says whether they need one. */
export function requireSession(request: Request): Session {
  const { session } = contextOf(request)
  switch (session.kind) {
    case 'active':
      return session.session
    case 'none':
      throw new Refusal({ kind: 'session_required' })
    case 'invalid':
      throw new Refusal({ kind: 'session_invalid', clearedCookie: session.clearedCookie })
    case 'unavailable':
      throw new Refusal({ kind: 'database_unavailable', reason: 'session store' })
  }
}
