import { type Deployment, timestamp } from '../objects.ts'
import { findCondition } from './conditions.ts'

/** The condition `Progressing`, with the texts of Kubernetes' deployment controller. */

type Status = Deployment['status']
export type DeploymentCondition = NonNullable<Status['conditions']>[number]

/** The new condition; undefined keeps the present one. */
export function progressCondition(
  { metadata, spec, status }: Deployment,
  next: Status,
  replicaSet: string | undefined,
  now: number,
): DeploymentCondition | undefined {
  const before = findCondition(status.conditions, 'Progressing')
  if (spec.paused) return pausedCondition(before)
  if (before?.reason === PAUSED.reason) return RESUMED
  if (before?.reason === 'NewReplicaSetAvailable' && oldPods(next) === 0) return undefined
  const subject =
    replicaSet === undefined ? `Deployment "${metadata.name}"` : `ReplicaSet "${replicaSet}"`
  if (isComplete(spec.replicas, next)) {
    return progressing('True', 'NewReplicaSetAvailable', `${subject} has successfully progressed.`)
  }
  if (isProgress(status, next)) {
    const condition = progressing('True', 'ReplicaSetUpdated', `${subject} is progressing.`)
    return { ...condition, lastUpdateTime: timestamp(now) }
  }
  if (before === undefined || now < deadlineOf(before, spec.progressDeadlineSeconds))
    return undefined
  return progressing('False', 'ProgressDeadlineExceeded', `${subject} has timed out progressing.`)
}

/** When an unfinished rollout exceeds its deadline. */
export function progressDeadline({ spec, status }: Deployment): number | undefined {
  const condition = findCondition(status.conditions, 'Progressing')
  if (condition?.status !== 'True' || condition.reason === 'NewReplicaSetAvailable')
    return undefined
  return deadlineOf(condition, spec.progressDeadlineSeconds)
}

export const progressing = (
  status: string,
  reason: string,
  message: string,
): DeploymentCondition => ({ type: 'Progressing', status, reason, message })

const PAUSED = progressing('Unknown', 'DeploymentPaused', 'Deployment is paused')
const RESUMED = progressing('Unknown', 'DeploymentResumed', 'Deployment is resumed')

/** A pause does not hide an exceeded deadline. */
const pausedCondition = (before: DeploymentCondition | undefined) =>
  before?.reason === 'ProgressDeadlineExceeded' ? undefined : PAUSED

const deadlineOf = ({ lastUpdateTime }: DeploymentCondition, seconds: number): number =>
  Date.parse(lastUpdateTime ?? '') + seconds * 1_000

const isComplete = (replicas: number, next: Status): boolean =>
  (next.updatedReplicas ?? 0) === replicas &&
  (next.replicas ?? 0) === replicas &&
  (next.availableReplicas ?? 0) === replicas

const oldPods = ({ replicas = 0, updatedReplicas = 0 }: Status) => replicas - updatedReplicas

const isProgress = (before: Status, next: Status): boolean =>
  (next.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
  oldPods(next) < oldPods(before) ||
  (next.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
  (next.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
