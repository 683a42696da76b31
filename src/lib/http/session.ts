import { Elysia } from 'elysia'
import type { Session } from '../domain/access/sessions/sessions.ts'
import { Refusal } from './problem.ts'
import { contextOf } from './request-context.ts'

/**
 * A route that uses this plugin gets a typed `session`, and answers 401 without a valid one, before it parses parameters.
 * Routes without the plugin are open; `tests/routes/gates.test.ts` lists them.
 */
export const session = new Elysia({ name: 'session' }).derive({ as: 'scoped' }, ({ request }) => ({
  session: requireSession(request),
}))

/** For routes whose configuration decides whether they need a session. */
export function requireSession(request: Request): Session {
  const { session } = contextOf(request)
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
