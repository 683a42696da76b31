import { type TSchema, Type } from 'typebox'
import type { Clusters } from '../../domain/clusters/clusters.ts'
import { Subdomain } from '../../names.ts'
import { clusterProblem, clusterRequestOf, type NamespaceContext } from './request.ts'
import { LabelSelector } from './schemas.ts'
import { feedContent, streamFeed } from './feed-stream.ts'
import { listingAnswer, listingHeaders } from './listing-answer.ts'
import { named } from '../../schema/named.ts'
import { Ruled } from '../../schema/ruled.ts'
import { operation } from '../../http/operation.ts'
import { problem } from '../../http/problem.ts'
import { createQueryParser } from '../../http/query.ts'
import { eventStreamHeaders } from '../../http/sse.ts'

const Query = Type.Object({
  labelSelector: LabelSelector,
  name: Type.Optional(named(Subdomain, { description: 'Only the one of this name' })),
  cursor: Type.Optional(
    // Base64url, as `domain/clusters/listing.ts` makes them.
    Ruled('cursor', '^[A-Za-z0-9_-]+$', {
      maxLength: 8_192,
      description: 'Cursor from the `Link` of the previous page; not allowed with `watch`',
    }),
  ),
  watch: Type.Optional(Type.Boolean({ description: 'Streams the list, then every change' })),
})

/** The OpenAPI description of a list. */
export const listing = (
  plural: 'pods' | 'deployments',
  {
    id,
    schema,
    description,
  }: { readonly id: string; readonly schema: TSchema; readonly description: string },
) =>
  operation({
    id,
    scope: 'clusters:read',
    tag: 'Clusters',
    summary: `List or watch the ${plural} of a namespace`,
    description: `Read with your own token. ${description} A page has at most 5,000, and a \`Link\` to the next page. The list of a namespace that does not exist is empty.`,
    query: Query,
    tagged: true,
    responses: {
      200: {
        description: `The ${plural}`,
        content: [{ schema: Type.Array(schema) }, feedContent(plural.slice(0, -1), schema)],
        headers: listingHeaders,
      },
    },
    problems: [403, 404, 409, 410, 422, 429, 502, 503, 504],
  })

/** A handler that answers with a list, or with a stream of it. */
export function createListing(
  resource: Clusters['pods'] | Clusters['deployments'],
  stopping: AbortSignal,
) {
  const parseQuery = createQueryParser(Query)
  return async ({ request, params, session }: NamespaceContext): Promise<Response> => {
    const query = parseQuery(request.url)
    if (!query.ok) return problem(request, query.error)
    const { labelSelector = null, name, cursor = null, watch } = query.value
    const clusterRequest = clusterRequestOf(request, session, params)
    if (watch === true && cursor !== null) return problem(request, CURSOR_OF_A_WATCH)
    if (watch === true && request.method === 'GET') {
      const feed = await resource.follow(clusterRequest, { labelSelector, name })
      if (feed.ok) return streamFeed(feed.value, stopping)
      return clusterProblem(request, feed.error)
    }
    const listing = await resource.list(clusterRequest, { labelSelector, name, cursor })
    if (!listing.ok) return clusterProblem(request, listing.error)
    // HEAD gets the headers of the stream and opens none.
    if (watch === true) return new Response(null, { headers: eventStreamHeaders })
    return listingAnswer(request, listing.value)
  }
}

const CURSOR_OF_A_WATCH = {
  kind: 'validation_failed',
  errors: [{ path: '/query/cursor', rule: 'conflict', message: 'must not be given with watch' }],
} as const
