import { Elysia } from 'elysia'
import { contextOf } from '../lib/http/request-context.ts'
import { requireSession } from '../lib/http/session.ts'
import { wanted } from './accept.ts'
import { redirect, signInPath } from './page.ts'

/** Like `session`, but a browser that asks for a page is sent to sign in first and then back. */
export const pageSession = new Elysia({ name: 'page-session' })
  .onBeforeHandle({ as: 'scoped' }, ({ request }) => {
    const { kind } = contextOf(request).session
    const isStranger = kind === 'none' || kind === 'invalid'
    if (isStranger && wanted(request) === 'html') return redirect(signInPath(request))
    return undefined
  })
  .resolve({ as: 'scoped' }, ({ request }) => ({ session: requireSession(request) }))
