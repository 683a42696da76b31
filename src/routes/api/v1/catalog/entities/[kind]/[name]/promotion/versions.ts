import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { EntityParameters } from '#src/lib/presenters/catalog/schemas.ts'
import {
  exampleVersions,
  ReleasableVersion,
  versionBody,
} from '#src/lib/presenters/promotion/versions.ts'
import { limited, reads } from '#src/lib/http/limited.ts'
import { nextLink } from '#src/lib/http/page.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'
import { taggedJson } from '#src/lib/http/tagged-json.ts'

const Query = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 50, default: 20, description: 'Page size' }),
  offset: Type.Integer({
    minimum: 0,
    maximum: 10_000,
    default: 0,
    description: 'Number of versions to skip',
  }),
})

const description = operation({
  id: 'listVersions',
  scope: 'catalog:read',
  tag: 'Promotion',
  summary: 'List the versions that can be released',
  description:
    'Newest first, by number where all tags are semantic versions, else by time: the tags of the repository of the entity (annotation `portico/repository`, of the organisation of the gitops repository), and what ran in an environment lately. A tag is taken for that of an image; whether its image was built is not checked.',
  query: Query,
  tagged: true,
  responses: {
    200: {
      description: 'A page of the versions',
      content: { schema: Type.Array(ReleasableVersion), example: exampleVersions },
      headers: { Link: '`rel="next"`, when a page follows' },
    },
  },
  problems: [404, 409, 422, 429, 502, 503, 504],
})

export default ({ promotion, usage }: Pick<Deps, 'promotion' | 'usage'>) => {
  const parseQuery = createQueryParser(Query)
  return new Elysia()
    .use(session)
    .use(limited(usage, reads))
    .get(
      '',
      async ({ request, params }) => {
        const query = parseQuery(request.url)
        if (!query.ok) return problem(request, query.error)
        const versions = await promotion.versions(params)
        if (!versions.ok) return problem(request, versions.error)
        const { limit, offset } = query.value
        const end = offset + limit
        const link =
          end < versions.value.length ? { link: nextLink(request, { limit }, { offset: end }) } : {}
        return taggedJson(request, versions.value.slice(offset, end).map(versionBody), link)
      },
      { params: pathParameters(EntityParameters), ...description },
    )
}
