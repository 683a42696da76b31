import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/app.ts'
import { askingOf, clusterProblem } from '#src/lib/http/cluster-request.ts'
import { Deployment, listParameters, NamespaceParameters } from '#src/lib/http/cluster-schemas.ts'
import { feedContent, streamFeed } from '#src/lib/http/feed-stream.ts'
import { listingAnswer, listingHeaders } from '#src/lib/http/listing-answer.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser, Flag } from '#src/lib/http/query.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'

const Query = Type.Object({
  ...listParameters,
  watch: Type.Optional(Flag('`true`: a stream of what there is and of every change')),
})

const description = operation({
  id: 'listDeployments',
  tag: 'Clusters',
  summary: 'The deployments of a namespace, read with your own token',
  description:
    'The message is what `kubectl rollout status` prints. At most 5,000, then a `Link` to the rest. A namespace that does not exist has none.',
  query: Query,
  responses: {
    200: {
      description: 'The deployments',
      content: [{ schema: Type.Array(Deployment) }, feedContent('deployment')],
      headers: listingHeaders,
    },
  },
  problems: [403, 404, 409, 410, 422, 429, 502, 503, 504],
})

type Needed = Pick<Deps, 'clusters' | 'stopping' | 'secureCookies'>

export default ({ clusters, stopping, secureCookies }: Needed) => {
  const parseQuery = createQueryParser(Query)
  return new Elysia().use(session).get(
    '',
    async ({ request, params, session }) => {
      const query = parseQuery(request.url)
      if (!query.ok) return problem(request, query.error)
      const { labelSelector = null, cursor = null, watch } = query.value
      const asking = askingOf(request, session, params)
      if (watch === 'true' && request.method === 'GET') {
        const feed = await clusters.followDeployments(asking, labelSelector)
        if (feed.ok) return streamFeed(feed.value, stopping)
        return clusterProblem(request, feed.error, { secureCookies })
      }
      const listing = await clusters.deployments(asking, { labelSelector, cursor }, toJson)
      if (listing.ok) return listingAnswer(request, listing.value)
      return clusterProblem(request, listing.error, { secureCookies })
    },
    { params: pathParameters(NamespaceParameters), ...description },
  )
}

const toJson = (view: object): string => JSON.stringify(view)
