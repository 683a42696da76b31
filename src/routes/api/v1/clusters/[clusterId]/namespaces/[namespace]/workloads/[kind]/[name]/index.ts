import { Elysia } from 'elysia'
import type { Deps } from '#src/deps.ts'
import { limited, reads } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'
import { taggedJson } from '#src/lib/http/tagged-json.ts'
import { clusterProblem, clusterRequestOf } from '#src/lib/presenters/clusters/request.ts'
import {
  exampleWorkloadDetail,
  WorkloadDetail,
  workloadDetailBody,
  WorkloadParameters,
} from '#src/lib/presenters/clusters/workload-detail.ts'

const description = operation({
  id: 'getWorkload',
  scope: 'clusters:read',
  tag: 'Clusters',
  summary: 'Show a workload with its pods, and what stands around it',
  description:
    'Its verdict, pods, events, revisions, services and routes, autoscaler, disruption budgets and volume claims. Read with your own token; a member that the cluster does not let you read is `null`, or not whole, and named in `refused`. Environment values are never shown.',
  tagged: true,
  responses: {
    200: {
      description: 'The workload',
      content: { schema: WorkloadDetail, example: exampleWorkloadDetail },
    },
  },
  problems: [403, 404, 409, 422, 429, 502, 503, 504],
})

export default ({ clusters, usage }: Pick<Deps, 'clusters' | 'usage'>) =>
  new Elysia()
    .use(session)
    .use(limited(usage, reads))
    .get(
      '',
      async ({ request, params, session }) => {
        const { kind: type, name } = params
        const detail = await clusters.workloads.read(clusterRequestOf(request, session, params), {
          type,
          name,
        })
        return detail.ok
          ? taggedJson(request, workloadDetailBody(detail.value))
          : clusterProblem(request, detail.error)
      },
      { params: pathParameters(WorkloadParameters), ...description },
    )
