import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import {
  CLUSTER_PROBLEMS,
  clusterAnswer,
  personRequestOf,
} from '#src/lib/presenters/clusters/request.ts'
import {
  ClusterParameters,
  exampleNamespaces,
  Namespace,
} from '#src/lib/presenters/clusters/schemas.ts'
import { limited, reads } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'

const description = operation({
  id: 'listNamespaces',
  scope: 'clusters:read',
  tag: 'Clusters',
  summary: 'List the namespaces in which you may list pods',
  description:
    'The cluster is asked with your own token what you may do in the namespaces of its `environments`, in those of your teams first, and in all others, if it lets you list namespaces. At most 100, sorted by name, without pages. Its answers about your rights are kept for 60 s.',
  tagged: true,
  responses: {
    200: {
      description: 'The namespaces',
      content: { schema: Type.Array(Namespace, { maxItems: 100 }), example: exampleNamespaces },
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
          await clusters.namespaces(personRequestOf(request, session, params)),
        ),
      { params: pathParameters(ClusterParameters), ...description },
    )
