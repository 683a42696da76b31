import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import {
  CLUSTER_PROBLEMS,
  clusterAnswer,
  clusterRequestOf,
} from '#src/lib/presenters/clusters/request.ts'
import { ObjectParameters, PodEvent } from '#src/lib/presenters/clusters/schemas.ts'
import { limited, reads } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'

const description = operation({
  id: 'listPodEvents',
  scope: 'clusters:read',
  tag: 'Clusters',
  summary: 'List the events of a pod',
  description:
    'The events that `kubectl describe pod` shows, newest last. Clusters keep events for about an hour. For a pod that does not exist the list is empty, or has the events of an earlier pod of that name.',
  tagged: true,
  responses: { 200: { description: 'The events', content: { schema: Type.Array(PodEvent) } } },
  problems: CLUSTER_PROBLEMS,
})

export default ({ clusters, usage }: Pick<Deps, 'clusters' | 'usage'>) =>
  new Elysia()
    .use(session)
    .use(limited(usage, reads))
    .get(
      '',
      async ({ request, params, session }) =>
        clusterAnswer(
          request,
          await clusters.events(clusterRequestOf(request, session, params), params.name),
        ),
      { params: pathParameters(ObjectParameters), ...description },
    )
