import { Elysia } from 'elysia'
import { contextOf } from '../../lib/http/request-context.ts'
import { requireSession } from '../../lib/http/session.ts'
import { preferredFormat } from '../../lib/http/negotiation.ts'
import { redirect, signInPath } from './page.ts'

/** Like `session`, but redirects browsers without a session to the sign-in, which leads back. */
export const pageSession = new Elysia({ name: 'page-session' })
  // Before parameters are parsed.
  .onTransform({ as: 'scoped' }, ({ request }) => {
    if (!isSentAway(request)) requireSession(request)
  })
  .onBeforeHandle({ as: 'scoped' }, ({ request }) =>
    isSentAway(request) ? redirect(signInPath(request)) : undefined,
  )
  .resolve({ as: 'scoped' }, ({ request }) => ({ session: requireSession(request) }))

function isSentAway(request: Request): boolean {
  const { kind } = contextOf(request).session
  return (kind === 'none' || kind === 'invalid') && preferredFormat(request) === 'html'
}
