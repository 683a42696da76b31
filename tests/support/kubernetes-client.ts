import { createKubernetes } from '#src/lib/adapters/clusters/index.ts'
import { RESOURCES } from '#src/lib/domain/clusters/resources.ts'

/** The client of API servers, with the collections that tests ask for. */
export function kubernetesClient(options: Parameters<typeof createKubernetes>[0] = {}) {
  const kubernetes = createKubernetes(options)
  return {
    ...kubernetes,
    pods: kubernetes.objects(RESOURCES.pod),
    deployments: kubernetes.objects(RESOURCES.deployment),
    replicaSets: kubernetes.objects(RESOURCES.replicaset),
  }
}
