import { createKubernetes } from '#src/lib/adapters/clusters/index.ts'
import { RESOURCES } from '#src/lib/domain/clusters/resources.ts'

/** The client of API servers, with the collections that tests ask for. */
export function kubernetesClient(options: Parameters<typeof createKubernetes>[0] = {}) {
  const kubernetes = createKubernetes(options)
  return {
    ...kubernetes,
    pods: kubernetes.objects(RESOURCES.pods),
    deployments: kubernetes.objects(RESOURCES.deployments),
    replicaSets: kubernetes.objects(RESOURCES.replicasets),
  }
}
