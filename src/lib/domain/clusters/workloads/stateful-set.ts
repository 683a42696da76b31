import type { KubernetesStatefulSet } from '../../../ports/kubernetes-objects.ts'
import { imagesOf } from '../pod-container.ts'
import type { RolloutStatus } from '../rollout-status.ts'
import { factsOf, isUnobserved, verdict, type Verdict, type WorkloadFacts } from './workload.ts'

export function statefulSetFacts(set: KubernetesStatefulSet): WorkloadFacts {
  const { metadata, spec, status = {} } = set
  const desired = spec.replicas ?? 1
  const { readyReplicas = 0, availableReplicas = readyReplicas } = status
  return factsOf('StatefulSet', metadata, ownVerdict(set), {
    replicas: {
      desired,
      // While the revisions are the same the controller counts pods as current ones.
      updated: isUpdated(status) ? (status.currentReplicas ?? 0) : (status.updatedReplicas ?? 0),
      ready: readyReplicas,
      available: availableReplicas,
      unavailable: Math.max(0, desired - availableReplicas),
    },
    images: imagesOf(spec.template.spec?.containers ?? []),
    revision: status.updateRevision ?? null,
    podRevision: status.updateRevision ?? null,
  })
}

const isUpdated = ({
  currentRevision,
  updateRevision,
}: NonNullable<KubernetesStatefulSet['status']>) => currentRevision === updateRevision

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

/** The exact output of `kubectl rollout status`: `StatefulSetViewer` in `k8s.io/kubectl`. It refuses other strategies than `RollingUpdate`. */
export function statefulSetRollout({
  metadata,
  spec,
  status = {},
}: KubernetesStatefulSet): RolloutStatus {
  const { observedGeneration = 0, readyReplicas = 0, updatedReplicas = 0 } = status
  const waiting = (message: string): RolloutStatus => ({ done: false, failed: false, message })
  const done = (message: string): RolloutStatus => ({ done: true, failed: false, message })
  const { type, rollingUpdate } = spec.updateStrategy ?? {}

  if (observedGeneration === 0 || isUnobserved(metadata, status)) {
    return waiting('Waiting for statefulset spec update to be observed...')
  }
  if (spec.replicas !== undefined && readyReplicas < spec.replicas) {
    return waiting(`Waiting for ${spec.replicas - readyReplicas} pods to be ready...`)
  }
  if (type === 'OnDelete') return done(`${readyReplicas} pods are ready; updates wait for deletion`)
  if (type === 'RollingUpdate' && rollingUpdate !== undefined) {
    const wanted = (spec.replicas ?? 0) - (rollingUpdate.partition ?? 0)
    return rollingUpdate.partition !== undefined && updatedReplicas < wanted
      ? waiting(
          `Waiting for partitioned roll out to finish: ${updatedReplicas} out of ${wanted} new pods have been updated...`,
        )
      : done(`partitioned roll out complete: ${updatedReplicas} new pods have been updated...`)
  }
  const { currentReplicas = 0, currentRevision = '', updateRevision = '' } = status
  return isUpdated(status)
    ? done(
        `statefulset rolling update complete ${currentReplicas} pods at revision ${currentRevision}...`,
      )
    : waiting(
        `waiting for statefulset rolling update to complete ${updatedReplicas} pods at revision ${updateRevision}...`,
      )
}
