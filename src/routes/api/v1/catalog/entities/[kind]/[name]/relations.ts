import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { createTimeSlice } from '#src/lib/concurrency/time-slice.ts'
import { furtherOf, relationsIn } from '#src/lib/domain/catalog/relations.ts'
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
        const { type, hops } = query.value
        const entity = findEntity(cached.value, params)
        if (!entity.ok) return problem(request, entity.error)
        const wanted = new Set(type)
        const relations = await relationsIn(cached.value)
        const all = await relations.of(entity.value)
        const found = wanted.size === 0 ? all : all.filter(({ type }) => wanted.has(type))
        const given = { type, hops: hops === 1 ? '' : hops }
        const page = pageOf(request, found, query.value, given)
        const headers = catalogHeaders(cached, clock.now(), pageHeaders(page))
        const body: ReturnType<typeof renderRelation>[] = []
        const pause = createTimeSlice()
        for (const relation of page.items) {
          const further =
            hops === 1 ? undefined : await furtherOf(relations, entity.value, relation)
          body.push(renderRelation(relation, further))
          await pause()
        }
        return taggedJson(request, body, headers)
      }),
    { params: pathParameters(EntityParameters), ...description },
  )
}
