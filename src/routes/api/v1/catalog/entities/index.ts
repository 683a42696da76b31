import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/app.ts'
import { select } from '#src/lib/domain/catalog/query.ts'
import type { Snapshot } from '#src/lib/domain/catalog/snapshot.ts'
import type { Cached } from '#src/lib/domain/catalog/ttl-cache.ts'
import { catalogHeaderDocs, catalogHeaders, fromCatalog } from '#src/lib/http/catalog-answer.ts'
import { Entity, exampleEntity, filterParameters } from '#src/lib/http/catalog-schemas.ts'
import { acceptsGzip, isNotModified } from '#src/lib/http/conditional.ts'
import { createEntityLists, type EntityList, type EntityPage } from '#src/lib/http/entity-lists.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser, queryOf } from '#src/lib/http/query.ts'
import { session } from '#src/lib/http/session.ts'

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

/** The list is kept ready for each query, so that the common request validates and selects nothing. */
export default ({ catalog, clock }: Pick<Deps, 'catalog' | 'clock'>) => {
  const lists = createEntityLists()
  const parseQuery = createQueryParser(Query)

  function page(snapshot: Snapshot, url: string) {
    const query = parseQuery(url)
    if (!query.ok) return query
    const { limit, offset = 0, ...filter } = query.value
    const matching = select(snapshot, filter)
    const end = limit === undefined ? matching.length : offset + limit
    const value: EntityPage = {
      entities: offset === 0 && end >= matching.length ? matching : matching.slice(offset, end),
      total: matching.length,
      link: end < matching.length ? nextLink(url, end) : null,
    }
    return { ok: true, value } as const
  }

  const list = (request: Request, cached: Cached<Snapshot>) => {
    const query = queryOf(request.url)
    const kept = lists.find(cached.value, query)
    if (kept !== undefined) return answer(request, kept, catalogHeaders(cached, clock.now()))
    const made = page(cached.value, request.url)
    if (!made.ok) return problem(request, { kind: 'validation_failed', errors: made.errors })
    const list = lists.keep(cached.value, query, made.value)
    return answer(request, list, catalogHeaders(cached, clock.now()))
  }

  return new Elysia().use(session).get(
    '',
    ({ request }) => {
      const response = fromCatalog(request, catalog.read(), (cached) => list(request, cached))
      return response
    },
    description,
  )
}

function answer(
  request: Request,
  list: EntityList,
  catalog: Record<string, string>,
): Response | Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    'cache-control': 'private, no-cache',
    etag: list.etag,
    vary: 'accept-encoding',
    'x-total-count': String(list.total),
    ...(list.link !== null && { link: list.link }),
    ...catalog,
  }
  if (isNotModified(request, list.etag)) return new Response(null, { status: 304, headers })
  const gzipped = acceptsGzip(request) ? list.gzipped() : undefined
  if (gzipped === undefined) return new Response(list.body(), { headers })
  const compressed = (body: Blob) =>
    new Response(body, { headers: { ...headers, 'content-encoding': 'gzip' } })
  return gzipped instanceof Promise ? gzipped.then(compressed) : compressed(gzipped)
}

function nextLink(url: string, offset: number): string {
  const { pathname, searchParams } = new URL(url)
  searchParams.set('offset', String(offset))
  return `<${pathname}?${searchParams.toString()}>; rel="next"`
}
