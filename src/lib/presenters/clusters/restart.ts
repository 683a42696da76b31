import type { Clusters } from '../../domain/clusters/clusters.ts'
import type { ResourceName } from '../../domain/clusters/resources.ts'
import { refuseForeignBody } from '../../http/body.ts'
import type { Decider } from '../../http/deciding-session.ts'
import { problem } from '../../http/problem.ts'
import { json } from '../../http/respond.ts'
import type { Subdomain } from '../../names.ts'
import { clusterProblem, clusterRequestOf, type NamespaceContext } from './request.ts'
import { DeploymentRestart, exampleRestart } from './schemas.ts'

/** Restarts a workload with the person's own rights in the cluster. The request has no body. */
export async function answerRestart(
  request: Request,
  clusters: Pick<Clusters, 'restart'>,
  decider: Decider,
  kind: ResourceName,
  object: NamespaceContext['params'] & { readonly name: Subdomain },
): Promise<Response> {
  const body = await refuseForeignBody(request)
  if (!body.ok) return problem(request, body.error)
  const decided = await decider()
  if (!decided.ok) return problem(request, decided.error)
  const { clusterId: cluster, namespace, name } = object
  const restart = await clusters.restart(
    clusterRequestOf(request, decided.value, object),
    kind,
    name,
  )
  return restart.ok
    ? json({ cluster, namespace, name, ...restart.value }, { status: 202 })
    : clusterProblem(request, restart.error)
}

/** For the OpenAPI document. */
export const restartAnswers = {
  responses: {
    202: {
      description: 'The cluster accepted the restart',
      content: { schema: DeploymentRestart, example: exampleRestart },
    },
  },
  problems: [400, 403, 404, 409, 413, 415, 422, 429, 502, 503, 504],
} as const
