import { type Deployment, timestamp } from '../objects.ts'
import { findCondition, setCondition } from './conditions.ts'
import { type DeploymentCondition, progressCondition } from './progress-condition.ts'
import { fenceposts } from './rollout-plan.ts'

export interface Counts {
  /** As the replica set is told to have. */
  readonly replicas: number
  readonly pods: number
  readonly ready: number
  readonly available: number
}

export interface Standing {
  /** Of the replica set of the current template, which a paused deployment may not have yet. */
  readonly current: { readonly name: string; readonly counts: Counts } | undefined
  readonly old: readonly Counts[]
}

type Status = Deployment['status']

const NONE: Counts = { replicas: 0, pods: 0, ready: 0, available: 0 }

/** What a deployment reports of itself, with the words of the deployment controller. */
export function nextStatus(deployment: Deployment, standing: Standing, now: number): Status {
  const all = [standing.current?.counts ?? NONE, ...standing.old]
  const sum = (member: keyof Counts) => all.reduce((total, counts) => total + counts[member], 0)
  const available = sum('available')
  const counted = {
    observedGeneration: deployment.metadata.generation,
    ...nonZero({
      replicas: sum('pods'),
      updatedReplicas: standing.current?.counts.pods ?? 0,
      readyReplicas: sum('ready'),
      availableReplicas: available,
      unavailableReplicas: Math.max(sum('replicas') - available, 0),
    }),
  }
  const isAvailable = available >= deployment.spec.replicas - fenceposts(deployment).maxUnavailable
  const before = deployment.status.conditions ?? []
  const conditions = report(before, isAvailable ? ENOUGH : TOO_FEW, now)
  const progress = progressCondition(deployment, counted, standing.current?.name, now)
  return { ...counted, conditions: progress ? report(conditions, progress, now) : conditions }
}

/** A condition that says what it said before stays, unless it brings its own time. */
export function report(
  conditions: readonly DeploymentCondition[],
  next: DeploymentCondition,
  now: number,
): DeploymentCondition[] {
  const before = findCondition(conditions, next.type)
  const isKnown = before?.status === next.status && before.reason === next.reason
  if (isKnown && next.lastUpdateTime === undefined) return [...conditions]
  return setCondition(conditions, { lastUpdateTime: timestamp(now), ...next }, now)
}

/** Go leaves them out. */
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
