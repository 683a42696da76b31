import { Elysia } from 'elysia'
import { contextOf } from '../lib/http/request-context.ts'
import { requireSession } from '../lib/http/session.ts'
import { preferredFormat } from '../lib/http/preferred-format.ts'
import { redirect, signInPath } from './page.ts'

/** Like `session`, but redirects browsers without a session to the sign-in page, which leads back. */
export const pageSession = new Elysia({ name: 'page-session' })
  .onBeforeHandle({ as: 'scoped' }, ({ request }) => {
    const { kind } = contextOf(request).session
    const isAnonymous = kind === 'none' || kind === 'invalid'
    if (isAnonymous && preferredFormat(request) === 'html') return redirect(signInPath(request))
    return undefined
  })
  .resolve({ as: 'scoped' }, ({ request }) => ({ session: requireSession(request) }))
