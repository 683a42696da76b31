import { type KubernetesDeployment, RESTARTED_AT } from '../../ports/kubernetes-objects.ts'
import { imagesOf } from './pod-container.ts'
import { type RolloutStatus, rolloutStatus } from './rollout-status.ts'

/** What an answer says of a deployment: these members and no others, `null` where Kubernetes says nothing. */
export interface DeploymentView {
  readonly name: string
  readonly namespace: string
  readonly uid: string
  readonly status: DeploymentStatus
  /** What `kubectl rollout status` says. */
  readonly statusMessage: string
  readonly replicas: Replicas
  readonly images: readonly string[]
  readonly strategy: string | null
  readonly paused: boolean
  readonly generation: number
  readonly observedGeneration: number
  readonly restartedAt: string | null
  readonly createdAt: string
  readonly labels: Readonly<Record<string, string>>
  readonly conditions: readonly DeploymentCondition[]
}

export type DeploymentStatus = 'Available' | 'Progressing' | 'Degraded' | 'Paused' | 'ScaledToZero'

export interface Replicas {
  readonly desired: number
  readonly updated: number
  readonly ready: number
  readonly available: number
  readonly unavailable: number
}

export interface DeploymentCondition {
  readonly type: string
  readonly status: string
  readonly reason: string | null
  readonly message: string | null
}

/** What the API server makes of a specification without replicas. */
const REPLICAS_DEFAULT = 1

export function deploymentView(object: KubernetesDeployment): DeploymentView {
  const { metadata, spec, status = {} } = object
  const rollout = rolloutStatus(object)
  const replicas: Replicas = {
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
    status: statusOf(object, rollout, replicas),
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

/**
 * In this order, because each hides those below: what is paused waits for a person whatever else it is; what failed does not
 * come about by waiting; what is scaled to zero has nothing to wait for; and what is rolled out can lose its pods again.
 */
function statusOf(
  { spec, status = {} }: KubernetesDeployment,
  rollout: RolloutStatus,
  { desired, available }: Replicas,
): DeploymentStatus {
  const has = (type: string, value: string): boolean =>
    status.conditions?.some((each) => each.type === type && each.status === value) ?? false

  if (spec.paused === true) return 'Paused'
  if (rollout.failed || has('ReplicaFailure', 'True')) return 'Degraded'
  if (desired === 0 && !status.replicas) return 'ScaledToZero'
  if (!rollout.done) return 'Progressing'
  return available < desired || has('Available', 'False') ? 'Degraded' : 'Available'
}
