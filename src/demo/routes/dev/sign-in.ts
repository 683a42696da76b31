import { Elysia } from 'elysia'
import type { DemoDeps } from '#src/demo/deps.ts'
import { readForm } from '#src/lib/http/form.ts'
import { localPath } from '#src/demo/local-path.ts'
import { page, redirect } from '#src/console/git/page.ts'
import { signInMain } from '#src/demo/pages/sign-in-page.ts'
import { findPerson, ISSUER, people } from '#src/demo/people.ts'
import { openOnRecord } from '#src/lib/domain/access/sign-in/sign-in.ts'
import { sessionCookie } from '#src/lib/domain/access/sessions/session-cookie.ts'
import { problem } from '#src/lib/http/problem.ts'
import { contextOf } from '#src/lib/http/request-context.ts'

const unknownUser = {
  kind: 'validation_failed',
  errors: [
    { path: '/user', rule: 'one_of', message: `must be one of ${Object.keys(people).join(', ')}` },
  ],
} as const

type SignInDeps = Pick<DemoDeps, 'sessions' | 'audit' | 'identity'>

export default ({ sessions, audit, identity }: SignInDeps) =>
  new Elysia()
    .get('', ({ request }) => {
      const query = new URL(request.url).searchParams
      const returnTo = localPath(query.get('return_to'))
      const { session } = contextOf(request)
      const main = signInMain({
        hidden: { return_to: returnTo, state: query.get('state') },
        present: session.kind === 'active' ? session.session.principal.subject : null,
        returnTo,
      })
      return page(request, 'Sign in', main, { styles: ['/dev/style.css'], hasPerson: false })
    })
    .post(
      '',
      async ({ request }) => {
        const form = await readForm(request)
        if (!form.ok) return problem(request, form.error)
        const person = findPerson(form.value.get('user') ?? '')
        if (person === undefined) return problem(request, unknownUser)
        const state = form.value.get('state')
        if (state !== null) return redirect(callback(identity.issueCode(person, state), state))
        const { session: present, requestId, address } = contextOf(request)
        const opened = await openOnRecord({ sessions, audit }, await identity.signInAs(person), {
          requestId,
          address,
          userAgent: request.headers.get('user-agent'),
          sessionToken: present.kind === 'active' ? present.token : null,
        })
        if (!opened.ok) return problem(request, opened.error)
        return redirect(localPath(form.value.get('return_to')) ?? '/', {
          'set-cookie': sessionCookie(opened.value.token, opened.value.session, false),
        })
      },
      { parse: 'none' },
    )

/** The callback of a sign-in that began at `/api/v1/auth/login`. */
const callback = (code: string, state: string): string =>
  `/api/v1/auth/callback?${new URLSearchParams({ code, state, iss: ISSUER }).toString()}`
