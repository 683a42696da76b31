import { createLru } from '#src/lib/concurrency/lru.ts'
import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { onlyFields, unknownFields } from '#src/lib/domain/catalog/fields.ts'
import { createOrders, sortKeys } from '#src/lib/domain/catalog/order.ts'
import { type CatalogFilter, selectPage } from '#src/lib/domain/catalog/query.ts'
import type { Principal } from '#src/lib/domain/access/principal.ts'
import type { Snapshot } from '#src/lib/domain/catalog/snapshot.ts'
import { catalogHeaderDocs, fromCatalog } from '#src/lib/presenters/catalog/answer.ts'
import { filterOf, filterParameters } from '#src/lib/presenters/catalog/filter.ts'
import {
  Entity,
  exampleEntity,
  isEntityField,
  requiredFields,
} from '#src/lib/presenters/catalog/schemas.ts'
import { createEntityLists } from '#src/lib/presenters/catalog/entity-lists.ts'
import { answerList, type JsonPage } from '#src/lib/presenters/json-lists.ts'
import { nextLink, pageHeaderDocs, pageOffset } from '#src/lib/http/page.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import { session } from '#src/lib/http/session.ts'
import { err, ok } from '#src/lib/result.ts'

const Query = Type.Object({
  ...filterParameters,
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: 'Page size; by default all entities' }),
  ),
  offset: Type.Optional(Type.Integer({ ...pageOffset, description: 'Number of entities to skip' })),
  sort: Type.Optional(
    Type.Enum([...sortKeys], {
      description:
        'Order, with `-` the other way. Lifecycles are in the order of the environments; kinds are Component, API, Resource, System, Domain, Group, User, then others. Entities without a value come last; equal ones are sorted by kind, then name',
    }),
  ),
  fields: Type.Array(Type.String({ maxLength: 200 }), {
    maxItems: 50,
    default: [],
    description:
      'Only these fields of each entity, such as `spec.owner`, and always `apiVersion`, `kind` and `metadata.name`. A name that neither the schema nor any entity has is 422',
  }),
})

const UNKNOWN_FIELD = {
  rule: 'unknown',
  message: 'is a field that no entity has; fields are named like metadata.title or spec.owner',
} as const

const description = operation({
  id: 'listEntities',
  scope: 'catalog:read',
  tag: 'Catalog',
  summary: 'List the entities of the catalog',
  description:
    'Without `sort` and `q` sorted by kind, then name. With `q` alone matches in the name come first, then matches in the title, then the others.',
  query: Query,
  tagged: true,
  responses: {
    200: {
      description: 'The entities',
      content: { schema: Type.Array(Entity), example: [exampleEntity] },
      headers: {
        ...pageHeaderDocs('matching entities'),
        ...catalogHeaderDocs,
      },
    },
  },
  problems: [422, 429, 502, 503, 504],
})

/** Bounds of the URLs that are remembered, together 2 MB. */
const QUERIES_MAX = 1_000
const URL_MAX_CHARACTERS = 500

/** Lists are cached by query: a repeated query is not evaluated again, however it is spelled. */
export default ({
  catalog,
  clock,
  pipeline,
  platformGroup,
}: Pick<Deps, 'catalog' | 'clock' | 'pipeline' | 'platformGroup'>) => {
  const inOrder = createOrders(pipeline.lifecycles)
  const lists = createEntityLists()
  const parseQuery = createQueryParser(Query)
  /** Queries by the URLs that asked for them, so that a repeated URL is not parsed. `mine` asks another query for each person. */
  const queries = createLru<string, string>(QUERIES_MAX)

  async function listOf(request: Request, snapshot: Snapshot, principal: Principal) {
    const askedBefore = queries.get(request.url)
    const again = askedBefore === undefined ? undefined : lists.find(snapshot, askedBefore)
    if (again !== undefined) return ok(again)
    const parsed = parseQuery(request.url)
    if (!parsed.ok) return parsed
    const { limit, offset = 0, sort } = parsed.value
    const filter = filterOf(parsed.value, principal, platformGroup)
    const named = parsed.value.fields
    const fields = named.length === 0 ? [] : [...new Set([...named, ...requiredFields])].toSorted()
    // Tags outlive the process, and with it the order of the environments.
    const order = sort?.endsWith('lifecycle') === true ? pipeline.lifecycles : null
    const query = JSON.stringify({ ...filter, limit, offset, sort, order, fields })
    const isShared = filter.ownedBy === null
    if (isShared && request.url.length <= URL_MAX_CHARACTERS) queries.set(request.url, query)
    const known = lists.find(snapshot, query)
    if (known !== undefined) return ok(known)
    const { entities } = snapshot
    const unknown = await unknownFields(
      entities,
      named.filter((name) => !isEntityField(name)),
    )
    if (unknown.length > 0)
      return err({
        kind: 'validation_failed',
        errors: unknown.map((name) => ({
          ...UNKNOWN_FIELD,
          path: `/query/fields/${named.indexOf(name)}`,
        })),
      } as const)
    const pageOf = (ordered: Snapshot['entities']): JsonPage => {
      const selected = selectPage(ordered, filter, { limit, offset }, sort === undefined)
      const { entities: items, total, nextOffset } = selected
      const parameters = { ...parametersOf(filter), fields: named, sort: sort ?? '', limit }
      const link =
        nextOffset === null ? null : nextLink(request, parameters, { offset: nextOffset })
      return { items, total, query, link, isPart: false }
    }
    if (sort === undefined && fields.length === 0) return ok(lists.add(snapshot, pageOf(entities)))
    const list = lists.addLater(snapshot, query, async () => {
      const page = pageOf(sort === undefined ? entities : await inOrder(entities, sort))
      if (fields.length === 0) return page
      return { ...page, items: await onlyFields(page.items, fields), isPart: true }
    })
    return ok(await list)
  }

  return new Elysia().use(session).get(
    '',
    ({ request, session: { principal } }) =>
      fromCatalog(request, catalog.read(), async (cached) => {
        const list = await listOf(request, cached.value, principal)
        if (!list.ok) return problem(request, list.error)
        return answerList(request, list.value, cached, clock.now())
      }),
    description,
  )
}

/** The query parameters of a filter. */
const parametersOf = ({ ownedBy, ...others }: CatalogFilter) => ({
  ...others,
  mine: ownedBy === null ? '' : true,
})
