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
import { exampleGrant, GrantAnswer, grantBody } from '#src/lib/presenters/grants/schemas.ts'
import { endedExample } from '#src/lib/presenters/sessions.ts'

const list = operation({
  id: 'listGrants',
  tag: 'Grants',
  summary: 'List what you allowed programs to do',
  description: 'Newest first: command lines and agents that act for you.',
  responses: {
    200: {
      description: 'Your grants',
      content: { schema: Type.Array(GrantAnswer), example: [exampleGrant] },
    },
  },
})

const end = operation({
  id: 'endGrants',
  tag: 'Grants',
  summary: 'End all of your grants',
  responses: {
    200: {
      description: 'The number of grants that ended',
      content: {
        schema: Type.Object({ ended: Type.Integer({ minimum: 0 }) }, { $id: 'EndedGrants' }),
        example: endedExample,
      },
    },
  },
  problems: [400, 403, 413, 415, 429],
})

export default ({ grants, usage }: Pick<Deps, 'grants' | 'usage'>) => {
  const listing = new Elysia().use(session).get(
    '',
    async ({ request, session: { principal } }) => {
      const listed = await grants.list(principal)
      return listed.ok ? json(listed.value.map(grantBody)) : problem(request, listed.error)
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
        const ended = await grants.endOwn(session, null, contextOf(request))
        return ended.ok ? json({ ended: ended.value }) : problem(request, ended.error)
      },
      { parse: 'none', ...end },
    )
  return new Elysia().use(listing).use(ending)
}
