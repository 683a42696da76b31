import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { facetsOf } from '#src/lib/domain/catalog/facets.ts'
import { type CatalogFilter, select } from '#src/lib/domain/catalog/query.ts'
import type { Snapshot } from '#src/lib/domain/catalog/snapshot.ts'
import { createLru } from '#src/lib/concurrency/lru.ts'
import {
  catalogHeaderDocs,
  catalogHeaders,
  fromCatalog,
} from '#src/lib/presenters/catalog/answer.ts'
import { filterOf, filterParameters } from '#src/lib/presenters/catalog/filter.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import { createDigest, taggedBody } from '#src/lib/http/tagged-json.ts'
import { session } from '#src/lib/http/session.ts'

const Query = Type.Object(filterParameters)
const Counts = Type.Array(
  Type.Object({ value: Type.String(), count: Type.Integer() }, { $id: 'FacetCount' }),
)

/** Together some megabytes. */
const BODIES_MAX = 100

const description = operation({
  id: 'getFacets',
  scope: 'catalog:read',
  tag: 'Catalog',
  summary: 'Count entities by kind, system, owner, lifecycle, type and tag',
  description:
    'Counts the entities that the same filter selects in the list. The most frequent values come first.',
  query: Query,
  tagged: true,
  responses: {
    200: {
      description: 'Number of entities per value',
      content: {
        schema: Type.Object(
          {
            kind: Counts,
            system: Counts,
            owner: Counts,
            lifecycle: Counts,
            type: Counts,
            tag: Counts,
          },
          { $id: 'CatalogFacets' },
        ),
        example: {
          kind: [{ value: 'Component', count: 14 }],
          system: [{ value: 'checkout', count: 5 }],
          owner: [{ value: 'group:acme/payments', count: 9 }],
          lifecycle: [{ value: 'production', count: 6 }],
          type: [{ value: 'service', count: 10 }],
          tag: [{ value: 'http', count: 3 }],
        },
      },
      headers: catalogHeaderDocs,
    },
  },
  problems: [422, 429, 502, 503, 504],
})

export default ({
  catalog,
  clock,
  platformGroup,
}: Pick<Deps, 'catalog' | 'clock' | 'platformGroup'>) => {
  const parseQuery = createQueryParser(Query)
  const bodies = createLru<string, string>(BODIES_MAX)
  let counted: Snapshot['entities'] | undefined

  /** Every page of the catalog asks for them. */
  function bodyOf({ entities }: Snapshot, filter: CatalogFilter): string {
    if (counted !== entities) bodies.clear()
    counted = entities
    const key = JSON.stringify(filter)
    const body = bodies.get(key) ?? JSON.stringify(facetsOf(select(entities, filter)))
    bodies.set(key, body)
    return body
  }

  return new Elysia().use(session).get(
    '',
    ({ request, session: { principal } }) =>
      fromCatalog(request, catalog.read(), (cached) => {
        const query = parseQuery(request.url)
        if (!query.ok) return problem(request, query.error)
        const filter = filterOf(query.value, principal, platformGroup)
        const body = bodyOf(cached.value, filter)
        const headers = catalogHeaders(cached, clock.now())
        return taggedBody(request, body, createDigest().update(body), headers)
      }),
    description,
  )
}
