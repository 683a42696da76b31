import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { refuseForeignBody } from '#src/lib/http/body.ts'
import { limited, writes } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { contextOf } from '#src/lib/http/request-context.ts'
import { noContent } from '#src/lib/http/respond.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'
import { Sha256 } from '#src/lib/names.ts'
import { named } from '#src/lib/schema/named.ts'

const Parameters = Type.Object({
  id: named(Sha256, { description: 'Id of one of your grants' }),
})

const description = operation({
  id: 'endGrant',
  tag: 'Grants',
  summary: 'End one of your grants',
  description: 'Its tokens open nothing any more, here at once and within a second elsewhere.',
  responses: { 204: { description: 'The grant has ended' } },
  problems: [400, 403, 404, 413, 415, 422, 429],
})

export default ({ grants, usage }: Pick<Deps, 'grants' | 'usage'>) =>
  new Elysia()
    .use(session)
    .use(limited(usage, writes))
    .delete(
      '',
      async ({ request, params: { id }, session }) => {
        const body = await refuseForeignBody(request)
        if (!body.ok) return problem(request, body.error)
        const ended = await grants.endOwn(session, id, contextOf(request))
        return ended.ok ? noContent() : problem(request, ended.error)
      },
      { parse: 'none', params: pathParameters(Parameters), ...description },
    )
