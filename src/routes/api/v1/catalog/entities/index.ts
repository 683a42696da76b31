import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/app.ts'
import { type CatalogFilter, selectPage } from '#src/lib/domain/catalog/query.ts'
import type { Principal } from '#src/lib/domain/access/principal.ts'
import type { Snapshot } from '#src/lib/domain/catalog/snapshot.ts'
import { catalogHeaderDocs, fromCatalog } from '#src/lib/presenters/catalog/answer.ts'
import { filterOf, filterParameters } from '#src/lib/presenters/catalog/filter.ts'
import { Entity, exampleEntity } from '#src/lib/presenters/catalog/schemas.ts'
import { answerList, createEntityLists } from '#src/lib/presenters/catalog/entity-lists.ts'
import { nextLink } from '#src/lib/http/next-link.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import { session } from '#src/lib/http/session.ts'
import { ok } from '#src/lib/result.ts'

const Query = Type.Object({
  ...filterParameters,
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: 'Page size; by default all entities' }),
  ),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 10_000_000,
      description: 'Number of entities to skip',
    }),
  ),
})

const description = operation({
  id: 'listEntities',
  tag: 'Catalog',
  summary: 'List the entities of the catalog',
  description:
    'Without `q` sorted by kind, then name. With `q` matches in the name come first, then matches in the title, then the others.',
  query: Query,
  tagged: true,
  responses: {
    200: {
      description: 'The entities',
      content: { schema: Type.Array(Entity), example: [exampleEntity] },
      headers: {
        'X-Total-Count': 'Number of matching entities on all pages',
        Link: '`rel="next"`, when a page follows',
        ...catalogHeaderDocs,
      },
    },
  },
  problems: [422, 429, 502, 503, 504],
})

/** Lists are cached by query: a repeated query is not evaluated again, however it is spelled. */
export default ({
  catalog,
  clock,
  platformGroup,
}: Pick<Deps, 'catalog' | 'clock' | 'platformGroup'>) => {
  const lists = createEntityLists()
  const parseQuery = createQueryParser(Query)

  function listOf(request: Request, snapshot: Snapshot, principal: Principal) {
    const parsed = parseQuery(request.url)
    if (!parsed.ok) return parsed
    const { limit, offset = 0 } = parsed.value
    const filter = filterOf(parsed.value, principal, platformGroup)
    const query = JSON.stringify({ ...filter, limit, offset })
    const known = lists.find(snapshot, query)
    if (known !== undefined) return ok(known)
    const page = selectPage(snapshot.entities, filter, { limit, offset })
    const link =
      page.nextOffset === null
        ? null
        : nextLink(request, { ...shown(filter), limit }, { offset: page.nextOffset })
    return ok(lists.add(snapshot, { ...page, query, link }))
  }

  return new Elysia().use(session).get(
    '',
    ({ request, session: { principal } }) =>
      fromCatalog(request, catalog.read(), (cached) => {
        const list = listOf(request, cached.value, principal)
        if (!list.ok) return problem(request, list.error)
        return answerList(request, list.value, cached, clock.now())
      }),
    description,
  )
}

/** The query parameters of a filter. */
const shown = ({ ownedBy, ...others }: CatalogFilter) => ({
  ...others,
  mine: ownedBy === null ? '' : true,
})
