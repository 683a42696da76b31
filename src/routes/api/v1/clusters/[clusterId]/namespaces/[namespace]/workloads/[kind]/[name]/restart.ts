import { Elysia } from 'elysia'
import type { Deps } from '#src/deps.ts'
import { refuseForeignBody } from '#src/lib/http/body.ts'
import { clusterProblem, clusterRequestOf } from '#src/lib/presenters/clusters/request.ts'
import { DeploymentRestart, exampleRestart } from '#src/lib/presenters/clusters/schemas.ts'
import { RestartedParameters } from '#src/lib/presenters/clusters/workload-schemas.ts'
import { limited, writes } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { json } from '#src/lib/http/respond.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { decidingSession } from '#src/lib/http/deciding-session.ts'

const description = operation({
  id: 'restartWorkload',
  scope: 'clusters:restart',
  tag: 'Clusters',
  summary: 'Restart a deployment, a stateful set or a daemon set, like `kubectl rollout restart`',
  description:
    'Uses your own token. The rollout has begun when the `observedGeneration` of the workload reaches `generation`. A second restart within the same second changes nothing.',
  responses: {
    202: {
      description: 'The cluster accepted the restart',
      content: { schema: DeploymentRestart, example: exampleRestart },
    },
  },
  problems: [400, 403, 404, 409, 413, 415, 422, 429, 502, 503, 504],
})

export default ({ clusters, claims, usage }: Pick<Deps, 'clusters' | 'claims' | 'usage'>) =>
  new Elysia()
    .use(decidingSession(claims))
    .use(limited(usage, writes))
    .post(
      '',
      async ({ request, params, decider }) => {
        const body = await refuseForeignBody(request)
        if (!body.ok) return problem(request, body.error)
        const decided = await decider()
        if (!decided.ok) return problem(request, decided.error)
        const { clusterId: cluster, namespace, kind, name } = params
        const restart = await clusters.restart(
          clusterRequestOf(request, decided.value, params),
          kind,
          name,
        )
        return restart.ok
          ? json({ cluster, namespace, name, ...restart.value }, { status: 202 })
          : clusterProblem(request, restart.error)
      },
      { parse: 'none', params: pathParameters(RestartedParameters), ...description },
    )
