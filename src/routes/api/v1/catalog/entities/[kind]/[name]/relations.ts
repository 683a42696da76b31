import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { relationsIn } from '#src/lib/domain/catalog/relations.ts'
import {
  catalogHeaderDocs,
  catalogHeaders,
  fromCatalog,
} from '#src/lib/presenters/catalog/answer.ts'
import { findEntity } from '#src/lib/presenters/catalog/find-entity.ts'
import {
  EntityRelation,
  exampleRelations,
  relationQuery,
  renderRelation,
} from '#src/lib/presenters/catalog/relation.ts'
import { EntityParameters } from '#src/lib/presenters/catalog/schemas.ts'
import { operation } from '#src/lib/http/operation.ts'
import { pageHeaderDocs, pageHeaders, pageOf } from '#src/lib/http/page.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'
import { taggedJson } from '#src/lib/http/tagged-json.ts'

const description = operation({
  id: 'listRelations',
  scope: 'catalog:read',
  tag: 'Catalog',
  summary: 'List the relations of an entity',
  description:
    'From the fields `dependsOn`, `providesApis`, `consumesApis`, `system`, `domain` and `owner` of all files, both ways. Sorted by type; relations that the entity states are as in its file, the others by kind and name.',
  query: relationQuery,
  tagged: true,
  responses: {
    200: {
      description: 'A page of the relations',
      content: { schema: Type.Array(EntityRelation), example: exampleRelations },
      headers: {
        ...pageHeaderDocs('relations'),
        ...catalogHeaderDocs,
      },
    },
  },
  problems: [404, 422, 429, 502, 503, 504],
})

export default ({ catalog, clock }: Pick<Deps, 'catalog' | 'clock'>) => {
  const parseQuery = createQueryParser(relationQuery)
  return new Elysia().use(session).get(
    '',
    ({ request, params }) =>
      fromCatalog(request, catalog.read(), async (cached) => {
        const query = parseQuery(request.url)
        if (!query.ok) return problem(request, query.error)
        const { type } = query.value
        const entity = findEntity(cached.value, params)
        if (!entity.ok) return problem(request, entity.error)
        const wanted = new Set(type)
        const all = await (await relationsIn(cached.value)).of(entity.value)
        const relations = wanted.size === 0 ? all : all.filter(({ type }) => wanted.has(type))
        const page = pageOf(request, relations, query.value, { type })
        const headers = catalogHeaders(cached, clock.now(), pageHeaders(page))
        return taggedJson(request, page.items.map(renderRelation), headers)
      }),
    { params: pathParameters(EntityParameters), ...description },
  )
}
