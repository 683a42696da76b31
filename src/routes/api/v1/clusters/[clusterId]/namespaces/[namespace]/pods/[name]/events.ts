import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { clusterProblem, clusterRequestOf } from '#src/lib/presenters/clusters/request.ts'
import { ObjectParameters, PodEvent } from '#src/lib/presenters/clusters/schemas.ts'
import { limited, reads } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'
import { taggedJson } from '#src/lib/http/tagged-json.ts'

const description = operation({
  id: 'listPodEvents',
  scope: 'clusters:read',
  tag: 'Clusters',
  summary: 'List the events of a pod',
  description:
    'The events that `kubectl describe pod` shows, newest last. Clusters keep events for about an hour. For a pod that does not exist the list is empty, or has the events of an earlier pod of that name.',
  tagged: true,
  responses: { 200: { description: 'The events', content: { schema: Type.Array(PodEvent) } } },
  problems: [403, 404, 409, 422, 429, 502, 503, 504],
})

export default ({ clusters, usage }: Pick<Deps, 'clusters' | 'usage'>) =>
  new Elysia()
    .use(session)
    .use(limited(usage, reads))
    .get(
      '',
      async ({ request, params, session }) => {
        const events = await clusters.events(
          clusterRequestOf(request, session, params),
          params.name,
        )
        return events.ok ? taggedJson(request, events.value) : clusterProblem(request, events.error)
      },
      { params: pathParameters(ObjectParameters), ...description },
    )
