import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { needsOf, providersOf } from '#src/lib/domain/catalog/needs.ts'
import { selectPage } from '#src/lib/domain/catalog/query.ts'
import { operation } from '#src/lib/http/operation.ts'
import { pageHeaderDocs, pageHeaders, pageOf, pageParameters } from '#src/lib/http/page.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import { session } from '#src/lib/http/session.ts'
import { taggedJson } from '#src/lib/http/tagged-json.ts'
import {
  catalogHeaderDocs,
  catalogHeaders,
  fromCatalog,
} from '#src/lib/presenters/catalog/answer.ts'
import { entityNameBody, ListedEntityName } from '#src/lib/presenters/catalog/entity-name.ts'
import { filterOf, filterParameters } from '#src/lib/presenters/catalog/filter.ts'
import { Nullable } from '#src/lib/schema/nullable.ts'

const { owner, mine } = filterParameters
const Query = Type.Object({ owner, mine, ...pageParameters('needs') })

const Need = Type.Object(
  {
    entity: ListedEntityName,
    owner: Nullable(Type.String()),
    lifecycle: Nullable(Type.String()),
    neededBy: Type.Array(ListedEntityName, { description: 'Entities of the filter that name it' }),
    providers: Type.Array(ListedEntityName, { description: 'Of an API: who provides it' }),
  },
  { $id: 'CatalogNeed' },
)

const name = (kind: string, id: string, title: string | null = null) => ({ kind, name: id, title })

const description = operation({
  id: 'listNeeds',
  scope: 'catalog:read',
  tag: 'Catalog',
  summary: 'List what entities need from others',
  description:
    'The entities that the filter leaves out and that its entities name in `dependsOn` or `consumesApis`, by kind and name. Without a filter there are no others.',
  query: Query,
  tagged: true,
  responses: {
    200: {
      description: 'A page of the needs',
      content: {
        schema: Type.Array(Need),
        example: [
          {
            entity: name('API', 'shipping-http', 'Shipping over HTTP'),
            owner: 'group:acme/shipping',
            lifecycle: 'production',
            neededBy: [name('Component', 'checkout-web', 'Checkout')],
            providers: [name('Component', 'shipping-api')],
          },
        ],
      },
      headers: { ...pageHeaderDocs('needs'), ...catalogHeaderDocs },
    },
  },
  problems: [422, 429, 502, 503, 504],
})

/** The filter of everything. */
const ALL = { kind: [], system: [], lifecycle: [], type: [], tag: [], q: '' }

export default ({
  catalog,
  clock,
  platformGroup,
}: Pick<Deps, 'catalog' | 'clock' | 'platformGroup'>) => {
  const parseQuery = createQueryParser(Query)
  return new Elysia().use(session).get(
    '',
    ({ request, session: { principal } }) =>
      fromCatalog(request, catalog.read(), async (cached) => {
        const query = parseQuery(request.url)
        if (!query.ok) return problem(request, query.error)
        const filter = filterOf({ ...ALL, ...query.value }, principal, platformGroup)
        const { entities } = selectPage(cached.value.entities, filter, { offset: 0 })
        const needs = await needsOf(cached.value, entities)
        const given = { owner: query.value.owner, mine: query.value.mine || '' }
        const page = pageOf(request, needs, query.value, given)
        const headers = catalogHeaders(cached, clock.now(), pageHeaders(page))
        const body = page.items.map(async ({ entity, neededBy }) => ({
          entity: entityNameBody(entity),
          owner: entity.card.owner,
          lifecycle: entity.card.lifecycle,
          neededBy: neededBy.map(entityNameBody),
          providers: (await providersOf(cached.value, entity)).map(entityNameBody),
        }))
        return taggedJson(request, await Promise.all(body), headers)
      }),
    description,
  )
}
