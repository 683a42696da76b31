import { Elysia } from 'elysia'
import { type Static, Type } from 'typebox'
import type { Deps } from '#src/app.ts'
import { selectPage } from '#src/lib/domain/catalog/page.ts'
import type { Snapshot } from '#src/lib/domain/catalog/snapshot.ts'
import {
  catalogHeaderDocs,
  conditionalHeaders,
  fromCatalog,
} from '#src/lib/presenters/catalog/answer.ts'
import { Entity, exampleEntity, filterParameters } from '#src/lib/presenters/catalog/schemas.ts'
import { answerList } from '#src/lib/presenters/catalog/entity-list-answer.ts'
import { createEntityLists } from '#src/lib/presenters/catalog/entity-lists.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser, queryOf } from '#src/lib/http/query.ts'
import { session } from '#src/lib/http/session.ts'
import { ok } from '#src/lib/result.ts'

const Query = Type.Object({
  ...filterParameters,
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: 'Page size; all without it' }),
  ),
  offset: Type.Optional(
    Type.Integer({ minimum: 0, description: 'How many to leave out at the start' }),
  ),
})

const description = operation({
  id: 'listEntities',
  tag: 'Catalog',
  summary: 'List the entities of the catalog',
  description:
    'Without `q` by kind, then name; with it, matches in the name first, then in the title, then the rest.',
  query: Query,
  headers: conditionalHeaders,
  responses: {
    200: {
      description: 'The entities',
      content: { schema: Type.Array(Entity), example: [exampleEntity] },
      headers: {
        ETag: 'Changes when the answer does',
        'X-Total-Count': 'How many entities match, on all pages',
        Link: '`rel="next"`, when a page follows',
        ...catalogHeaderDocs,
      },
    },
    304: { description: 'Not modified since the `If-None-Match` tag' },
  },
  problems: [422, 429, 502, 503, 504],
})

/** The list is kept ready for each query that is asked for again, so that the common request validates and selects nothing. */
export default ({ catalog, clock }: Pick<Deps, 'catalog' | 'clock'>) => {
  const lists = createEntityLists()
  const parseQuery = createQueryParser(Query)

  function listOf(request: Request, snapshot: Snapshot) {
    const query = queryOf(request.url)
    const kept = lists.find(snapshot, query)
    if (kept !== undefined) return ok(kept)
    const parsed = parseQuery(request.url)
    if (!parsed.ok) return parsed
    const { limit, offset = 0, ...filter } = parsed.value
    return ok(
      lists.make(snapshot, query, JSON.stringify(parsed.value), () => {
        const page = selectPage(snapshot, filter, { limit, offset })
        return { ...page, link: linkTo(request, parsed.value, page.nextOffset) }
      }),
    )
  }

  return new Elysia().use(session).get(
    '',
    ({ request }) =>
      fromCatalog(request, catalog.read(), (cached) => {
        const list = listOf(request, cached.value)
        if (!list.ok) return problem(request, list.error)
        return answerList(request, list.value, cached, clock.now())
      }),
    description,
  )
}

/** Made of what was asked for and not of how: everybody who asks for the same gets this link. */
function linkTo(
  request: Request,
  query: Static<typeof Query>,
  offset: number | null,
): string | null {
  if (offset === null) return null
  const next = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...query, offset })) {
    const text = String(value)
    if (text !== '') next.set(name, text)
  }
  return `<${new URL(request.url).pathname}?${next.toString()}>; rel="next"`
}
