import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { sessionCookie } from '#src/lib/domain/access/sessions/session-cookie.ts'
import { browserRequest } from '#src/lib/http/browser-request.ts'
import { operation } from '#src/lib/http/operation.ts'
import { preferredFormat } from '#src/lib/http/negotiation.ts'
import { contextOf } from '#src/lib/http/request-context.ts'
import { noContent } from '#src/lib/http/respond.ts'
import { failedSignIn, unknownGroupsPage } from '#src/lib/presenters/sign-in/failure-page.ts'
import { goOnPage } from '#src/lib/presenters/grants/failure-page.ts'

const OnceGiven = (description: string) => Type.Optional(Type.String({ description }))

const description = operation({
  id: 'completeLogin',
  tag: 'Session',
  summary: 'Complete a sign-in',
  description:
    'The identity provider sends browsers here. A sign-in can be completed once, within ten minutes, in the browser in which it began. HEAD completes nothing and answers 204.',
  open: true,
  query: Type.Object({
    state: OnceGiven('The sign-in to complete'),
    code: OnceGiven('The authorization code'),
    iss: OnceGiven('The issuer (RFC 9207)'),
    error: OnceGiven('Why the identity provider refused'),
  }),
  responses: {
    200: {
      description:
        'Signed in, as with 303, but the identity provider did not list the groups: a page that says what to change there. For browsers. Of a request of a program: a page that leads to it, with a code or an error',
      content: { contentType: 'text/html', schema: Type.String() },
    },
    204: { description: 'Answer to HEAD' },
    303: {
      description: 'Signed in, with a new session; the earlier one of the browser has ended.',
      headers: { Location: '`return_to` of the sign-in' },
    },
  },
  problemPages: [400, 429, 502, 503, 504],
})

export default ({ signIns }: Pick<Deps, 'signIns'>) =>
  new Elysia().get(
    '',
    async ({ request }) => {
      if (request.method === 'HEAD') return noContent()
      const query = new URL(request.url).searchParams
      const completed = await signIns.complete(query, browserRequest(request))
      if (!completed.ok) {
        const { location, setCookie } = completed.error
        return location === undefined
          ? failedSignIn(request, completed.error)
          : goOnPage(request, location, setCookie)
      }
      if (completed.value.kind === 'grant') {
        return goOnPage(request, completed.value.location, completed.value.setCookie)
      }
      const { token, session, returnTo, setCookie } = completed.value
      const { requestId, secureCookies } = contextOf(request)
      const page =
        preferredFormat(request) === 'html'
          ? unknownGroupsPage(session.principal, returnTo, requestId)
          : undefined
      const response = page ?? new Response(null, { status: 303, headers: { location: returnTo } })
      response.headers.append('set-cookie', sessionCookie(token, session, secureCookies))
      response.headers.append('set-cookie', setCookie)
      return response
    },
    description,
  )
