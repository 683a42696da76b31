import type { KubernetesReplicaSet } from '../../../ports/kubernetes-objects.ts'
import { imagesOf } from '../pod-container.ts'
import { isUnobserved } from '../rollout-status.ts'
import { REVISION } from './deployment.ts'
import {
  factsOf,
  failureOf,
  holding,
  verdict,
  type Verdict,
  type WorkloadFacts,
} from './workload.ts'

/** The label that tells the pods of one replica set from those of another. */
export const POD_HASH = 'pod-template-hash'

/** Most replica sets are revisions of a deployment. */
export function replicaSetFacts(set: KubernetesReplicaSet): WorkloadFacts {
  const { metadata, spec = {}, status = {} } = set
  const desired = spec.replicas ?? 1
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status
  return factsOf('ReplicaSet', metadata, ownVerdict(set), {
    replicas: {
      desired,
      updated: replicas,
      ready: readyReplicas,
      available: availableReplicas,
      unavailable: Math.max(0, desired - availableReplicas),
    },
    images: imagesOf(spec.template?.spec?.containers ?? []),
    revision: metadata.annotations?.[REVISION] ?? null,
    podRevision: metadata.labels?.[POD_HASH] ?? null,
  })
}

function ownVerdict({ metadata, spec = {}, status = {} }: KubernetesReplicaSet): Verdict {
  const desired = spec.replicas ?? 1
  const { replicas = 0, availableReplicas = 0, readyReplicas = 0 } = status
  if (isUnobserved(metadata, status)) {
    return verdict('Progressing', 'Its last change has yet to be observed')
  }
  const failed = holding(status.conditions, 'ReplicaFailure')
  if (failed !== undefined) return failureOf(failed)
  if (replicas > desired) {
    return verdict('Progressing', `${replicas - desired} pods are left to stop`, 'ScalingDown')
  }
  if (desired === 0) return verdict('Idle', 'It is scaled to zero', 'ScaledToZero')
  const available = Math.min(availableReplicas, readyReplicas)
  return available < desired
    ? verdict('Progressing', `${available} of ${desired} pods are available`)
    : verdict('Healthy', `${desired} of ${desired} pods are available`)
}
