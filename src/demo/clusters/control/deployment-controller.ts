import { type Deployment, type ReplicaSet, timestamp } from '../objects.ts'
import type { ObjectKey } from '../store.ts'
import { nextStatus } from './deployment-status.ts'
import { progressDeadline } from './progress-condition.ts'
import { allPodsOf, availableAt, countPods, type PodCounts, podsOf } from './ownership.ts'
import { createReplicaSetController, type ReplicaSetParts } from './replica-set-controller.ts'
import { replicaSetsOf, scaled, surplusReplicaSets } from './replica-sets.ts'
import { type Rollout, syncRevision } from './revisions.ts'
import { planPausedRollout, planRollout, type DesiredReplicas } from './rollout-plan.ts'

const COMPONENT = 'deployment-controller'

/** The API server keeps the time of the last change of a status among the managed fields. */
function withStatus(deployment: Deployment, status: Deployment['status'], now: number): Deployment {
  const managedFields = [
    {
      manager: 'kube-controller-manager',
      operation: 'Update',
      apiVersion: 'apps/v1',
      subresource: 'status',
      time: timestamp(now),
    },
  ]
  return { ...deployment, metadata: { ...deployment.metadata, managedFields }, status }
}

/** Moves deployments towards their specification, one step per call of `sync`. */
export function createDeploymentController(parts: ReplicaSetParts) {
  const { store, events, timeline } = parts
  const replicaSets = createReplicaSetController(parts)

  const countsOf = (replicaSet: ReplicaSet): PodCounts =>
    countPods(replicaSet, podsOf(store, replicaSet), timeline.now())

  function planReplicas({ deployment, current, old }: Rollout): DesiredReplicas {
    const scaleOf = (replicaSet: ReplicaSet) => ({
      name: replicaSet.metadata.name,
      ...countsOf(replicaSet),
      present: allPodsOf(store, replicaSet).length,
    })
    const own = current && scaleOf(current)
    const others = old.map(scaleOf)
    return own === undefined || deployment.spec.paused
      ? planPausedRollout(deployment, own === undefined ? others.toReversed() : [own, ...others])
      : planRollout(deployment, own, others)
  }

  function scale(deployment: Deployment, desired: DesiredReplicas): void {
    for (const replicaSet of replicaSetsOf(store, deployment)) {
      const { name } = replicaSet.metadata
      const from = replicaSet.spec.replicas
      const to = desired.get(name) ?? from
      if (to === from) continue
      const direction = to > from ? 'up' : 'down'
      const message = `Scaled ${direction} replica set ${name} from ${from} to ${to}`
      events.record({
        about: deployment,
        reason: 'ScalingReplicaSet',
        message,
        component: COMPONENT,
      })
      store.put('replicasets', scaled(deployment, replicaSet, to))
    }
  }

  /** Updates the status before the replica sets act: their changes count as progress of the next sync. */
  function syncStatus({ deployment, current }: Rollout): void {
    const all = replicaSetsOf(store, deployment)
    const isCurrent = ({ metadata }: ReplicaSet) => metadata.uid === current?.metadata.uid
    const own = all.find(isCurrent)
    const pods = {
      current: own && { name: own.metadata.name, counts: countsOf(own) },
      old: all.filter((replicaSet) => !isCurrent(replicaSet)).map(countsOf),
    }
    const status = nextStatus(deployment, pods, timeline.now())
    store.put(
      'deployments',
      Bun.deepEquals(status, deployment.status)
        ? deployment
        : withStatus(deployment, status, timeline.now()),
    )
    for (const replicaSet of all) replicaSets.sync(replicaSet)
  }

  return {
    sync(key: ObjectKey): void {
      const deployment = store.get('deployments', key)
      if (deployment === undefined) return
      const rollout = syncRevision(store, deployment, timeline.now())
      scale(rollout.deployment, planReplicas(rollout))
      syncStatus(rollout)
      for (const { metadata } of surplusReplicaSets(deployment, rollout.old)) {
        store.remove('replicasets', metadata)
      }
    },

    /** When `sync` is due although no object changes: a deadline passes, or a pod becomes available. */
    nextSyncAt(key: ObjectKey): number | undefined {
      const deployment = store.get('deployments', key)
      if (deployment === undefined) return undefined
      const now = timeline.now()
      const podTimes = replicaSetsOf(store, deployment).flatMap((replicaSet) =>
        podsOf(store, replicaSet).map((pod) => availableAt(pod, replicaSet.spec.minReadySeconds)),
      )
      const times = [progressDeadline(deployment), ...podTimes].filter((at) => at !== undefined)
      const next = Math.min(...times.filter((at) => at > now))
      return next === Number.POSITIVE_INFINITY ? undefined : next
    },
  }
}
