import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'
import { fromCatalog } from '#src/lib/presenters/catalog/answer.ts'
import { definitionAnswer } from '#src/lib/presenters/catalog/doc-answer.ts'
import { findEntity } from '#src/lib/presenters/catalog/find-entity.ts'
import { EntityParameters } from '#src/lib/presenters/catalog/schemas.ts'

const description = operation({
  id: 'getEntityDefinition',
  scope: 'catalog:read',
  tag: 'Catalog',
  summary: 'Get the definition of an API',
  description:
    'The text of `spec.definition`, in the type that `spec.type` says: JSON or YAML for `openapi` and `asyncapi`, `application/graphql` for `graphql`, and plain text for any other.',
  tagged: true,
  responses: {
    200: {
      description: 'The definition',
      content: { contentType: '*/*', schema: Type.Unknown() },
    },
  },
  problems: [404, 422, 429, 502, 503, 504],
})

export default ({ catalog }: Pick<Deps, 'catalog'>) =>
  new Elysia().use(session).get(
    '',
    ({ request, params }) =>
      fromCatalog(request, catalog.read(), ({ value }) => {
        const entity = findEntity(value, params)
        if (!entity.ok) return problem(request, entity.error)
        return (
          definitionAnswer(request, entity.value) ?? problem(request, { kind: 'doc_not_found' })
        )
      }),
    { params: pathParameters(EntityParameters), ...description },
  )
