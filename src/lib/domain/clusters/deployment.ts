import { type KubernetesDeployment, RESTARTED_AT } from '../../ports/kubernetes-objects.ts'
import type { Later } from './follow.ts'
import { imagesOf } from './containers.ts'
import { deploymentRollout, isUnobserved } from './rollout-status.ts'

export type DeploymentView = ReturnType<typeof deploymentView>

type DeploymentStatus = 'Available' | 'Progressing' | 'Degraded' | 'Paused' | 'ScaledToZero'

/** The API server's default for `spec.replicas`. */
const REPLICAS_DEFAULT = 1

/** Rolled out, with pods that are not available: time for new ones to start before they count as failing. */
const STALLED_MS = 60_000

/**
 * The members of a deployment that answers show, and no others; `null` where Kubernetes has no value. Its status depends on `now`:
 * pods that are not available after a finished rollout are new ones, until nothing has changed for a minute.
 */
export function deploymentView(deployment: KubernetesDeployment, now: number) {
  const { metadata, spec, status = {} } = deployment
  return {
    name: metadata.name,
    namespace: metadata.namespace,
    uid: metadata.uid,
    status: statusOf(deployment, now),
    statusMessage: messageOf(deployment),
    replicas: replicasOf(deployment),
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

/** The view of a deployment that does not change from now on, if it becomes another one. */
export function laterDeploymentView(
  deployment: KubernetesDeployment,
  now: number,
): Later<DeploymentView> | null {
  const at = stallsAt(deployment)
  if (at <= now) return null
  return statusOf(deployment, at) === 'Degraded' && statusOf(deployment, now) === 'Progressing'
    ? { afterMs: at - now, view: deploymentView(deployment, at) }
    : null
}

export type Replicas = ReturnType<typeof replicasOf>

export const replicasOf = ({ spec, status = {} }: KubernetesDeployment) => ({
  desired: spec.replicas ?? REPLICAS_DEFAULT,
  updated: status.updatedReplicas ?? 0,
  ready: status.readyReplicas ?? 0,
  available: status.availableReplicas ?? 0,
  unavailable: status.unavailableReplicas ?? 0,
})

/** The first status that holds: a pause hides a failure, a failure hides progress. */
function statusOf(deployment: KubernetesDeployment, now: number): DeploymentStatus {
  const { metadata, spec, status = {} } = deployment
  const { desired, available } = replicasOf(deployment)
  const rollout = deploymentRollout(deployment)
  const has = (type: string, value: string): boolean =>
    status.conditions?.some((each) => each.type === type && each.status === value) ?? false

  if (metadata.deletionTimestamp !== undefined) return 'Progressing'
  if (spec.paused === true) return 'Paused'
  if (rollout.failed || has('ReplicaFailure', 'True')) return 'Degraded'
  if (desired === 0) return podsLeft(deployment) === 0 ? 'ScaledToZero' : 'Progressing'
  if (rollout.done && available >= desired && !has('Available', 'False')) return 'Available'
  return wasFinished(deployment) && stallsAt(deployment) <= now ? 'Degraded' : 'Progressing'
}

/** The sentence of kubectl, and our own where `kubectl rollout status` is silent. */
function messageOf(deployment: KubernetesDeployment): string {
  const { name, deletionTimestamp } = deployment.metadata
  if (deletionTimestamp !== undefined) return `deployment "${name}" is being deleted`
  const rollout = deploymentRollout(deployment)
  const left = podsLeft(deployment)
  return rollout.done && replicasOf(deployment).desired === 0 && left > 0
    ? `Waiting for deployment "${name}" to scale to zero: ${left} pods are left...`
    : rollout.message
}

export const podsLeft = ({ status = {} }: KubernetesDeployment): number =>
  (status.replicas ?? 0) + (status.terminatingReplicas ?? 0)

/**
 * Whether the deployment controller has reported the end of the last rollout. It keeps that reason when pods crash later, or more are
 * wanted, while `kubectl rollout status` waits again. A rollout that has not ended has a deadline of its own.
 */
const wasFinished = ({ metadata, status = {} }: KubernetesDeployment): boolean =>
  !isUnobserved(metadata, status) &&
  status.conditions?.find(({ type }) => type === 'Progressing')?.reason === 'NewReplicaSetAvailable'

/**
 * When a deployment whose status has not changed since makes no progress. The counters of pods have no time of their own: the API
 * server keeps the time of the last change of a status among the managed fields. Ready pods are available `minReadySeconds` later.
 */
function stallsAt({ metadata, spec, status = {} }: KubernetesDeployment): number {
  const { readyReplicas = 0, availableReplicas = 0, conditions = [] } = status
  const changes = [
    ...(metadata.managedFields ?? []).flatMap(({ subresource, time }) =>
      subresource === 'status' ? [time] : [],
    ),
    ...conditions.flatMap((each) => [each.lastUpdateTime, each.lastTransitionTime]),
  ].flatMap((time) => Date.parse(time ?? '') || [])
  const isWaiting = readyReplicas > availableReplicas
  const waitMs = isWaiting ? (spec.minReadySeconds ?? 0) * 1_000 : 0
  return Math.max(...changes) + waitMs + STALLED_MS
}
