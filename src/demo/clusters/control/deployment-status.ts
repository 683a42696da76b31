import { type Deployment, timestamp } from '../objects.ts'
import { findCondition, setCondition } from './conditions.ts'
import type { PodCounts } from './ownership.ts'
import { type DeploymentCondition, progressCondition } from './progress-condition.ts'
import { rolloutLimits } from './rollout-plan.ts'

export interface DeploymentPods {
  /** The replica set of the current template; a paused deployment may not have one yet. */
  readonly current: { readonly name: string; readonly counts: PodCounts } | undefined
  readonly old: readonly PodCounts[]
}

type Status = Deployment['status']

const NONE: PodCounts = { replicas: 0, pods: 0, ready: 0, available: 0 }

/** The next status of a deployment, with the condition texts of Kubernetes' deployment controller. */
export function nextStatus(deployment: Deployment, pods: DeploymentPods, now: number): Status {
  const all = [pods.current?.counts ?? NONE, ...pods.old]
  const sum = (member: keyof PodCounts) => all.reduce((total, counts) => total + counts[member], 0)
  const available = sum('available')
  const counted = {
    observedGeneration: deployment.metadata.generation,
    ...nonZero({
      replicas: sum('pods'),
      updatedReplicas: pods.current?.counts.pods ?? 0,
      readyReplicas: sum('ready'),
      availableReplicas: available,
      unavailableReplicas: Math.max(sum('replicas') - available, 0),
    }),
  }
  const isAvailable =
    available >= deployment.spec.replicas - rolloutLimits(deployment).maxUnavailable
  const before = deployment.status.conditions ?? []
  const conditions = updateCondition(before, isAvailable ? ENOUGH : TOO_FEW, now)
  const progress = progressCondition(deployment, counted, pods.current?.name, now)
  return {
    ...counted,
    conditions: progress ? updateCondition(conditions, progress, now) : conditions,
  }
}

/** Keeps a condition of equal status and reason, unless `next` has an update time of its own. */
export function updateCondition(
  conditions: readonly DeploymentCondition[],
  next: DeploymentCondition,
  now: number,
): DeploymentCondition[] {
  const before = findCondition(conditions, next.type)
  const isKnown = before?.status === next.status && before.reason === next.reason
  if (isKnown && next.lastUpdateTime === undefined) return [...conditions]
  return setCondition(conditions, { lastUpdateTime: timestamp(now), ...next }, now)
}

/** Go omits zero counts. */
const nonZero = (counts: Record<string, number>): Status =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0))

const ENOUGH = {
  type: 'Available',
  status: 'True',
  reason: 'MinimumReplicasAvailable',
  message: 'Deployment has minimum availability.',
}

const TOO_FEW = {
  type: 'Available',
  status: 'False',
  reason: 'MinimumReplicasUnavailable',
  message: 'Deployment does not have minimum availability.',
}
