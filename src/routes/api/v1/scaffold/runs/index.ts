import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/app.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import { taggedJson } from '#src/lib/http/tagged-json.ts'
import { exampleRun, runBody, ScaffoldRun } from '#src/lib/presenters/scaffold/schemas.ts'
import { named } from '#src/lib/schema/named.ts'
import { session } from '#src/lib/http/session.ts'
import { TeamName } from '#src/lib/names.ts'

const Query = Type.Object({
  team: Type.Optional(named(TeamName, { description: 'Only runs for this team' })),
})

const description = operation({
  id: 'listRuns',
  tag: 'Scaffold',
  summary: 'List your runs; as a member of the platform team, all runs',
  description: 'Newest first, at most 100.',
  query: Query,
  tagged: true,
  responses: {
    200: {
      description: 'The runs',
      content: { schema: Type.Array(ScaffoldRun), example: [exampleRun] },
    },
  },
  problems: [422],
})

export default ({ scaffold }: Pick<Deps, 'scaffold'>) => {
  const parseQuery = createQueryParser(Query)
  return new Elysia().use(session).get(
    '',
    async ({ request, session: { principal } }) => {
      const query = parseQuery(request.url)
      if (!query.ok) return problem(request, query.error)
      const runs = await scaffold.list(principal, query.value.team ?? null)
      return runs.ok ? taggedJson(request, runs.value.map(runBody)) : problem(request, runs.error)
    },
    description,
  )
}
