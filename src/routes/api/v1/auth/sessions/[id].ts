import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { clearedSessionCookie } from '#src/lib/domain/access/sessions/session-cookie.ts'
import { refuseForeignBody } from '#src/lib/http/body.ts'
import { limited, writes } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { contextOf } from '#src/lib/http/request-context.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'
import { Sha256 } from '#src/lib/names.ts'
import { named } from '#src/lib/schema/named.ts'

const Parameters = Type.Object({
  id: named(Sha256, { description: 'Id of one of your sessions' }),
})

const description = operation({
  id: 'endSession',
  tag: 'Session',
  summary: 'End one of your sessions',
  description: 'Of your own sessions; the session of the request may end itself.',
  responses: { 204: { description: 'The session has ended' } },
  problems: [400, 403, 404, 413, 415, 422, 429],
})

export default ({ personSessions, usage }: Pick<Deps, 'personSessions' | 'usage'>) =>
  new Elysia()
    .use(session)
    .use(limited(usage, writes))
    .delete(
      '',
      async ({ request, params: { id }, session }) => {
        const body = await refuseForeignBody(request)
        if (!body.ok) return problem(request, body.error)
        const context = contextOf(request)
        const ended = await personSessions.end(session, id, context)
        if (!ended.ok) return problem(request, ended.error)
        const response = new Response(null, { status: 204 })
        if (id === session.idHash) {
          response.headers.set('set-cookie', clearedSessionCookie(context.secureCookies))
        }
        return response
      },
      { parse: 'none', params: pathParameters(Parameters), ...description },
    )
