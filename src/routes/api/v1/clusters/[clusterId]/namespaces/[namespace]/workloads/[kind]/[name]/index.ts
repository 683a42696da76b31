import { Elysia } from 'elysia'
import type { Deps } from '#src/deps.ts'
import { APPLICATION_NAME } from '#src/lib/domain/clusters/workloads/application-health.ts'
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
    'Its verdict, conditions, pods, events, revisions, services and routes, autoscaler, disruption budgets and volume claims, with the requests, limits, usage and probes of its containers and its image as git has it. Read with your own token; a member that the cluster does not let you read is `null`, or not whole, and named in `refused`. Environment values are never shown.',
  tagged: true,
  responses: {
    200: {
      description: 'The workload',
      content: { schema: WorkloadDetail, example: exampleWorkloadDetail },
    },
  },
  problems: [403, 404, 409, 422, 429, 502, 503, 504],
})

export default ({ clusters, overviews, usage }: Pick<Deps, 'clusters' | 'overviews' | 'usage'>) => {
  /** The environments of the applications with a name. */
  async function applicationsNamed(name: string | undefined) {
    const read = name === undefined ? undefined : await overviews.read()
    // The workload can be shown without git.
    if (read?.ok !== true) return []
    return read.value.value.rows
      .filter(({ app }) => app === name)
      .flatMap(({ entity, team, app, environments }) =>
        environments().map(({ name: environment, image }) => ({
          entity,
          team,
          app,
          environment,
          image,
        })),
      )
  }
  return new Elysia()
    .use(session)
    .use(limited(usage, reads))
    .get(
      '',
      async ({ request, params, session }) => {
        const { kind: type, name } = params
        const asked = clusterRequestOf(request, session, params)
        const detail = await clusters.workloads.read(asked, { type, name })
        if (!detail.ok) return clusterProblem(request, detail.error)
        const { labels } = detail.value.workload
        const applications = await applicationsNamed(labels[APPLICATION_NAME])
        const inGit = clusters.applicationIn(asked, applications)
        return taggedJson(request, workloadDetailBody(detail.value, inGit))
      },
      { params: pathParameters(WorkloadParameters), ...description },
    )
}
