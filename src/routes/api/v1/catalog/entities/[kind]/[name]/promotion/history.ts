import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { COMMITS_MAX } from '#src/lib/domain/promotion/history/log.ts'
import { Environment } from '#src/lib/domain/promotion/pipeline-schemas.ts'
import { EntityParameters } from '#src/lib/presenters/catalog/schemas.ts'
import {
  exampleHistory,
  HistoryRow,
  historyRowBody,
} from '#src/lib/presenters/promotion/history.ts'
import { nextLink } from '#src/lib/http/page.ts'
import { limited, reads } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import { taggedJson } from '#src/lib/http/tagged-json.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'
import { ObjectId } from '#src/lib/names.ts'
import { named } from '#src/lib/schema/named.ts'

const Query = Type.Object({
  environment: Environment,
  limit: Type.Integer({ minimum: 1, maximum: 50, default: 20, description: 'Page size' }),
  before: Type.Optional(
    named(ObjectId, { description: 'Only changes older than the one with this commit' }),
  ),
})

const description = operation({
  id: 'listPromotionHistory',
  scope: 'catalog:read',
  tag: 'Promotion',
  summary: 'List what ran in an environment, and who asked for it',
  description: `Changes of the overlay on the default branch, newest first, read from git: the commits of a merged pull request are one change. The \`image\` of a row is what a release needs to bring it back. The newest ${COMMITS_MAX} commits are read.`,
  query: Query,
  tagged: true,
  responses: {
    200: {
      description: 'A page of the changes; none for an environment that has never had an overlay',
      content: { schema: Type.Array(HistoryRow), example: exampleHistory },
      headers: { Link: '`rel="next"`, when a page follows' },
    },
  },
  problems: [404, 409, 422, 429, 502, 503, 504],
})

export default ({
  promotion,
  gitopsPages,
  usage,
}: Pick<Deps, 'promotion' | 'gitopsPages' | 'usage'>) => {
  const parseQuery = createQueryParser(Query)
  return new Elysia()
    .use(session)
    .use(limited(usage, reads))
    .get(
      '',
      async ({ request, params }) => {
        const query = parseQuery(request.url)
        if (!query.ok) return problem(request, query.error)
        const { environment, limit, before = null } = query.value
        const page = await promotion.history(params, { environment, limit, before })
        if (!page.ok) return problem(request, page.error)
        const { rows, next } = page.value
        const headers =
          next === null ? {} : { link: nextLink(request, { environment, limit }, { before: next }) }
        return taggedJson(
          request,
          rows.map((row) => historyRowBody(row, gitopsPages)),
          headers,
        )
      },
      { params: pathParameters(EntityParameters), ...description },
    )
}
