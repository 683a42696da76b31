import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import {
  CliRelease,
  drawnReleaseBody,
  exampleRelease,
  releaseBody,
} from '#src/lib/presenters/cli/schemas.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import { taggedJson } from '#src/lib/http/tagged-json.ts'
import { session } from '#src/lib/http/session.ts'

const Query = Type.Object({
  notes: Type.Optional(
    Type.Enum(['tree'], { description: 'Adds `notesTree`, in which HTML is text' }),
  ),
})

const description = operation({
  id: 'listCliReleases',
  tag: 'CLI',
  summary: 'List the versions of the command line client',
  description: 'Sorted by semantic version, newest first, without drafts.',
  tagged: true,
  query: Query,
  responses: {
    200: {
      description: 'The releases',
      content: { schema: Type.Array(CliRelease), example: [exampleRelease] },
    },
  },
  problems: [422, 429, 502, 503, 504],
})

export default ({ cli }: Pick<Deps, 'cli'>) => {
  const parseQuery = createQueryParser(Query)
  return new Elysia().use(session).get(
    '',
    async ({ request }) => {
      const query = parseQuery(request.url)
      if (!query.ok) return problem(request, query.error)
      const releases = await cli.releases()
      const body = query.value.notes === 'tree' ? drawnReleaseBody : releaseBody
      return releases.ok
        ? taggedJson(request, releases.value.map(body))
        : problem(request, releases.error)
    },
    description,
  )
}
