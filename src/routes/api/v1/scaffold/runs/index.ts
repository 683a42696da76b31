import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { nextLink } from '#src/lib/http/page.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import { taggedJson } from '#src/lib/http/tagged-json.ts'
import { exampleRun, runBody, ScaffoldRun } from '#src/lib/presenters/scaffold/schemas.ts'
import { named } from '#src/lib/schema/named.ts'
import { session } from '#src/lib/http/session.ts'
import { RunId, TeamName } from '#src/lib/names.ts'

const Query = Type.Object({
  team: Type.Optional(named(TeamName, { description: 'Only runs for this team' })),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 100, description: 'Page size' }),
  before: Type.Optional(named(RunId, { description: 'Only runs older than this one' })),
})

const description = operation({
  id: 'listRuns',
  scope: 'catalog:read',
  tag: 'Scaffold',
  summary: 'List your runs; as a member of the platform team, all runs',
  description: 'Newest first.',
  query: Query,
  tagged: true,
  responses: {
    200: {
      description: 'A page of the runs',
      content: { schema: Type.Array(ScaffoldRun), example: [exampleRun] },
      headers: { Link: '`rel="next"`, when a page follows' },
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
      const { team = null, before = null, limit } = query.value
      const page = await scaffold.list(principal, { team, before, limit })
      if (!page.ok) return problem(request, page.error)
      const { runs, next } = page.value
      const link = next === null ? {} : { link: nextLink(request, query.value, { before: next }) }
      return taggedJson(request, runs.map(runBody), link)
    },
    description,
  )
}
