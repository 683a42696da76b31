import { type KubernetesDeployment, RESTARTED_AT } from '../../ports/kubernetes-objects.ts'
import { imagesOf } from './pod-container.ts'
import { type RolloutStatus, rolloutStatus } from './rollout-status.ts'

export type DeploymentView = ReturnType<typeof deploymentView>

type DeploymentStatus = 'Available' | 'Progressing' | 'Degraded' | 'Paused' | 'ScaledToZero'

/** The API server's default for `spec.replicas`. */
const REPLICAS_DEFAULT = 1

/** The members of a deployment that answers show, and no others; `null` where Kubernetes has no value. */
export function deploymentView(deployment: KubernetesDeployment) {
  const { metadata, spec, status = {} } = deployment
  const rollout = rolloutStatus(deployment)
  const replicas = {
    desired: spec.replicas ?? REPLICAS_DEFAULT,
    updated: status.updatedReplicas ?? 0,
    ready: status.readyReplicas ?? 0,
    available: status.availableReplicas ?? 0,
    unavailable: status.unavailableReplicas ?? 0,
  }
  return {
    name: metadata.name,
    namespace: metadata.namespace,
    uid: metadata.uid,
    status: statusOf(deployment, rollout, replicas),
    statusMessage: rollout.message,
    replicas,
    images: imagesOf(spec.template.spec?.containers ?? []),
    strategy: spec.strategy?.type || null,
    paused: spec.paused ?? false,
    generation: metadata.generation ?? 0,
    observedGeneration: status.observedGeneration ?? 0,
    restartedAt: spec.template.metadata?.annotations?.[RESTARTED_AT] || null,
    createdAt: metadata.creationTimestamp,
    labels: metadata.labels ?? {},
    conditions: (status.conditions ?? []).map(({ type, status, reason, message }) => ({
      type,
      status,
      reason: reason || null,
      message: message || null,
    })),
  }
}

/** The first status that holds: a pause hides a failure, a failure hides progress. */
function statusOf(
  deployment: KubernetesDeployment,
  rollout: RolloutStatus,
  { desired, available }: { readonly desired: number; readonly available: number },
): DeploymentStatus {
  const { spec, status = {} } = deployment
  const has = (type: string, value: string): boolean =>
    status.conditions?.some((each) => each.type === type && each.status === value) ?? false

  if (spec.paused === true) return 'Paused'
  if (rollout.failed || has('ReplicaFailure', 'True')) return 'Degraded'
  if (desired === 0 && !status.replicas) return 'ScaledToZero'
  if (rollout.done)
    return available < desired || has('Available', 'False') ? 'Degraded' : 'Available'
  return wasFinished(deployment, desired) ? 'Degraded' : 'Progressing'
}

/**
 * Whether the deployment controller has reported the end of this rollout. It keeps that reason when pods crash later, while
 * `kubectl rollout status` waits for them again. A new rollout has new pods to make, or old ones to remove.
 */
function wasFinished({ metadata, status = {} }: KubernetesDeployment, desired: number): boolean {
  const { replicas = 0, updatedReplicas = 0, observedGeneration = 0, conditions = [] } = status
  const progressing = conditions.find(({ type }) => type === 'Progressing')
  return (
    observedGeneration >= (metadata.generation ?? 0) &&
    updatedReplicas >= desired &&
    replicas <= updatedReplicas &&
    progressing?.reason === 'NewReplicaSetAvailable'
  )
}
