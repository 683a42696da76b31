import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import {
  CLUSTER_PROBLEMS,
  clusterAnswer,
  clusterRequestOf,
} from '#src/lib/presenters/clusters/request.ts'
import {
  DeploymentEvent,
  exampleDeploymentEvents,
  ObjectParameters,
} from '#src/lib/presenters/clusters/schemas.ts'
import { limited, reads } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'

const description = operation({
  id: 'listDeploymentEvents',
  scope: 'clusters:read',
  tag: 'Clusters',
  summary: 'List the events of a deployment',
  description:
    'The events of the deployment, of its replica sets and of its pods, newest last: most reasons why a rollout does not go on are events of the latter two. Clusters keep events for about an hour. At most the newest 5,000. Read with your own token, which needs the right to list replica sets too.',
  tagged: true,
  responses: {
    200: {
      description: 'The events',
      content: { schema: Type.Array(DeploymentEvent), example: exampleDeploymentEvents },
    },
  },
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
          await clusters.deploymentEvents(clusterRequestOf(request, session, params), params.name),
        ),
      { params: pathParameters(ObjectParameters), ...description },
    )
