import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { Environment } from '#src/lib/domain/promotion/pipeline-schemas.ts'
import { EntityParameters } from '#src/lib/presenters/catalog/schemas.ts'
import {
  Comparison,
  comparisonBody,
  exampleComparison,
} from '#src/lib/presenters/promotion/versions.ts'
import { limited, reads } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'
import { taggedJson } from '#src/lib/http/tagged-json.ts'

const Query = Type.Object({ from: Environment, to: Environment })

const description = operation({
  id: 'compareEnvironments',
  scope: 'catalog:read',
  tag: 'Promotion',
  summary: 'Compare two environments of an application',
  description:
    'Settings as the overlays on the default branch have them, keys of secrets that are missing (to members of the owning team and the platform team), and the commits of the repository of the entity that `to` would get with the image of `from`.',
  query: Query,
  tagged: true,
  responses: {
    200: {
      description: 'The differences',
      content: { schema: Comparison, example: exampleComparison },
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
      async ({ request, params, session }) => {
        const query = parseQuery(request.url)
        if (!query.ok) return problem(request, query.error)
        const { principal } = session
        const compared = await promotion.compare(params, { ...query.value, principal })
        if (!compared.ok) return problem(request, compared.error)
        return taggedJson(request, comparisonBody(compared.value))
      },
      { params: pathParameters(EntityParameters), ...description },
    )
}
