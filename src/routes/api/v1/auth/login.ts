import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { browserRequest } from '#src/lib/http/browser-request.ts'
import { operation } from '#src/lib/http/operation.ts'
import { noContent } from '#src/lib/http/respond.ts'
import { failedSignIn } from '#src/lib/presenters/sign-in/failure-page.ts'

const description = operation({
  id: 'login',
  tag: 'Session',
  summary: 'Sign in at the identity provider',
  description:
    'For browsers: redirects to the identity provider, which leads back to the callback. An active session goes on until the callback. HEAD begins nothing and answers 204.',
  open: true,
  query: Type.Object({
    return_to: Type.Optional(
      Type.String({
        description:
          'Where to go after the sign-in: a path of this service, or a URL of it or of one of `UI_ORIGINS`, at most 1000 characters. Anything else counts as `/`',
      }),
    ),
  }),
  responses: {
    204: { description: 'Answer to HEAD' },
    302: {
      description: 'To the identity provider',
      headers: { Location: 'The page of the identity provider' },
    },
  },
  problemPages: [502, 503, 504],
})

export default ({ signIns }: Pick<Deps, 'signIns'>) =>
  new Elysia().get(
    '',
    async ({ request }) => {
      if (request.method === 'HEAD') return noContent()
      const returnTo = new URL(request.url).searchParams.get('return_to')
      const begun = await signIns.begin(returnTo, browserRequest(request))
      if (!begun.ok) return failedSignIn(request, { ...begun.error, setCookie: null })
      const { url, setCookies } = begun.value
      const response = new Response(null, { status: 302, headers: { location: url } })
      for (const setCookie of setCookies) response.headers.append('set-cookie', setCookie)
      return response
    },
    description,
  )
