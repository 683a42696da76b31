import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { refuseForeignBody } from '#src/lib/http/body.ts'
import { limited, writes } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { contextOf } from '#src/lib/http/request-context.ts'
import { json } from '#src/lib/http/respond.ts'
import { session } from '#src/lib/http/session.ts'
import {
  endedExample,
  EndedSessions,
  exampleSession,
  PersonSession,
  sessionBody,
} from '#src/lib/presenters/sessions.ts'

const list = operation({
  id: 'listSessions',
  tag: 'Session',
  summary: 'List your sessions',
  description: 'Newest first: the browsers in which you are signed in.',
  responses: {
    200: {
      description: 'Your sessions',
      content: { schema: Type.Array(PersonSession), example: [exampleSession] },
    },
  },
})

const end = operation({
  id: 'endOtherSessions',
  tag: 'Session',
  summary: 'Sign out everywhere else',
  description: 'Ends all of your sessions but the one that makes the request.',
  responses: {
    200: {
      description: 'The number of sessions that ended',
      content: { schema: EndedSessions, example: endedExample },
    },
  },
  problems: [400, 403, 413, 415, 429],
})

export default ({ personSessions, usage }: Pick<Deps, 'personSessions' | 'usage'>) => {
  const listing = new Elysia().use(session).get(
    '',
    async ({ request, session }) => {
      const sessions = await personSessions.list(session.principal)
      return sessions.ok
        ? json(sessions.value.map((one) => sessionBody(one, session)))
        : problem(request, sessions.error)
    },
    list,
  )
  const ending = new Elysia()
    .use(session)
    .use(limited(usage, writes))
    .delete(
      '',
      async ({ request, session }) => {
        const body = await refuseForeignBody(request)
        if (!body.ok) return problem(request, body.error)
        const ended = await personSessions.endOthers(session, contextOf(request))
        return ended.ok ? json({ ended: ended.value }) : problem(request, ended.error)
      },
      { parse: 'none', ...end },
    )
  return new Elysia().use(listing).use(ending)
}
