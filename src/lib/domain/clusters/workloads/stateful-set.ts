import type { KubernetesStatefulSet } from '../../../ports/kubernetes-objects.ts'
import { imagesOf } from '../pod-container.ts'
import { isUnobserved, statefulSetRollout } from '../rollout-status.ts'
import { factsOf, verdict, type Verdict, type WorkloadFacts } from './workload.ts'

export function statefulSetFacts(set: KubernetesStatefulSet): WorkloadFacts {
  const { metadata, spec, status = {} } = set
  const desired = spec.replicas ?? 1
  const { readyReplicas = 0, availableReplicas = readyReplicas } = status
  const isUpdated = status.currentRevision === status.updateRevision
  return factsOf('StatefulSet', metadata, ownVerdict(set), {
    replicas: {
      desired,
      // While the revisions are the same the controller counts pods as current ones.
      updated: (isUpdated ? status.currentReplicas : status.updatedReplicas) ?? 0,
      ready: readyReplicas,
      available: availableReplicas,
      unavailable: Math.max(0, desired - availableReplicas),
    },
    images: imagesOf(spec.template.spec?.containers ?? []),
    revision: status.updateRevision ?? null,
    podRevision: status.updateRevision ?? null,
  })
}

function ownVerdict(set: KubernetesStatefulSet): Verdict {
  const { spec, status = {} } = set
  const { replicas = 0, readyReplicas = 0, currentReplicas = 0 } = status
  const desired = spec.replicas ?? 1
  const rollout = statefulSetRollout(set)
  if (!isUnobserved(set.metadata, status) && desired === 0) {
    return replicas === 0
      ? verdict('Idle', 'It is scaled to zero', 'ScaledToZero')
      : verdict('Progressing', `${replicas} pods are left to stop`, 'ScalingToZero')
  }
  if (!rollout.done || readyReplicas < desired) return verdict('Progressing', rollout.message)
  if (replicas > desired) {
    return verdict('Progressing', `${replicas - desired} pods are left to stop`, 'ScalingDown')
  }
  const isPartitioned = spec.updateStrategy?.rollingUpdate?.partition !== undefined
  const isRolling = spec.updateStrategy?.type !== 'OnDelete' && !isPartitioned
  if (isRolling && currentReplicas < desired) {
    return verdict(
      'Progressing',
      `${currentReplicas} of ${desired} pods are of the current revision`,
    )
  }
  return verdict('Healthy', rollout.message)
}
