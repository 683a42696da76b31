import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { isCrossSite } from '#src/lib/domain/access/cross-site.ts'
import { managersOf, teamsOf } from '#src/lib/domain/access/principal.ts'
import { browserRequest } from '#src/lib/http/browser-request.ts'
import { readForm } from '#src/lib/http/form.ts'
import { limited, writes } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { contextOf } from '#src/lib/http/request-context.ts'
import { noContent } from '#src/lib/http/respond.ts'
import { session } from '#src/lib/http/session.ts'
import { consentPage } from '#src/lib/presenters/grants/consent-page.ts'
import { failedAuthorization } from '#src/lib/presenters/grants/failure-page.ts'
import { failedSignIn } from '#src/lib/presenters/sign-in/failure-page.ts'

const BODY_MAX_BYTES = 16 * 1024
const Given = (description: string) => Type.Optional(Type.String({ description }))

const ask = operation({
  id: 'authorize',
  tag: 'Grants',
  summary: 'Ask the person whether a program may act for them',
  description:
    'OAuth 2.1 authorization endpoint, for browsers: code with PKCE S256. Without a session it leads to the sign-in first. HEAD asks nobody and answers 204.',
  open: true,
  query: Type.Object({
    response_type: Given('`code`'),
    client_id: Given('`portico`, or the address of a metadata document in `OAUTH_CLIENTS`'),
    redirect_uri: Given('One of the client, exactly; the port of a loopback address is free'),
    scope: Given('Scopes, separated by spaces'),
    state: Given('Comes back'),
    code_challenge: Given('SHA-256 of the verifier, in base64url'),
    code_challenge_method: Given('`S256`'),
    resource: Given('The service that the tokens are for (RFC 8707)'),
  }),
  responses: {
    200: {
      description: 'The consent page',
      content: { contentType: 'text/html', schema: Type.String() },
    },
    204: { description: 'Answer to HEAD' },
    302: {
      description: 'To the sign-in, or to the client with an error',
      headers: { Location: 'Where to go' },
    },
  },
  problemPages: [400],
})

const answer = operation({
  id: 'answerAuthorization',
  tag: 'Grants',
  summary: 'Answer of the consent page',
  body: {
    contentType: 'application/x-www-form-urlencoded',
    schema: Type.Object({
      consent: Type.String(),
      choice: Type.String({ description: '`allow` or `refuse`' }),
      team: Given('The one team that the program may act for; empty for all'),
    }),
  },
  responses: {
    303: {
      description: 'To the identity provider, or to the client with `access_denied`',
      headers: { Location: 'Where to go' },
    },
  },
  problems: [403, 413, 415, 429],
  problemPages: [400, 502, 503, 504],
})

type Needed = Pick<Deps, 'grants' | 'consents' | 'signIns' | 'usage' | 'platformGroup'>

export default ({ grants, consents, signIns, usage, platformGroup }: Needed) => {
  const asking = new Elysia().get(
    '',
    async ({ request }) => {
      if (request.method === 'HEAD') return noContent()
      const url = new URL(request.url)
      const read = await grants.read(url.searchParams)
      if (!read.ok) {
        return read.error.kind === 'authorization_invalid'
          ? redirect(302, grants.refusal(read.error))
          : failedAuthorization(request, read.error)
      }
      const { session } = contextOf(request)
      if (session.kind === 'unavailable') {
        return problem(request, { kind: 'database_unavailable', reason: 'session store' })
      }
      if (session.kind !== 'active') {
        const returnTo = new URLSearchParams({ return_to: `${url.pathname}${url.search}` })
        return redirect(302, `/api/v1/auth/login?${returnTo.toString()}`)
      }
      const { session: current } = session
      const consent = consents.seal(read.value, current)
      return consentPage(request, read.value, current, consent, teams(current.principal))
    },
    ask,
  )
  const teams = (principal: Parameters<typeof teamsOf>[0]): readonly string[] => {
    const known = teamsOf(principal, platformGroup)
    if (known === 'unknown') return []
    // A grant for a team has its managers, who may be the platform group.
    return known.filter((team) => managersOf(team) !== platformGroup)
  }
  const answering = new Elysia()
    .use(session)
    .use(limited(usage, writes))
    .post(
      '',
      async ({ request, session }) => {
        // An origin that may use the API for the person may not allow a program in their place.
        if (isCrossSite(request, [contextOf(request).publicOrigin], [])) {
          return problem(request, { kind: 'cross_site_request' })
        }
        const form = await readForm(request, BODY_MAX_BYTES)
        if (!form.ok) return problem(request, form.error)
        const team = form.value.get('team') ?? ''
        const isKnown = team === '' || teams(session.principal).includes(team)
        const isAllowed = form.value.get('choice') === 'allow' && isKnown
        const answered = await grants.answer(
          form.value.get('consent') ?? '',
          session,
          isAllowed ? { teams: team === '' ? null : [team] } : 'refuse',
        )
        if (!answered.ok) return problem(request, answered.error)
        if (answered.value === undefined) {
          return failedAuthorization(request, { kind: 'consent_expired' })
        }
        if ('location' in answered.value) return redirect(303, answered.value.location)
        const begun = await signIns.beginGrant(answered.value, browserRequest(request))
        if (!begun.ok) return failedSignIn(request, { ...begun.error, setCookie: null })
        const response = redirect(303, begun.value.url)
        for (const cookie of begun.value.setCookies) response.headers.append('set-cookie', cookie)
        return response
      },
      { parse: 'none', ...answer },
    )
  return new Elysia().use(asking).use(answering)
}

const redirect = (status: number, location: string): Response =>
  new Response(null, { status, headers: { location, 'cache-control': 'no-store' } })
