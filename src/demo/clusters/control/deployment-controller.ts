import type { Deployment, ReplicaSet } from '../objects.ts'
import type { ObjectKey } from '../store.ts'
import { type Counts, nextStatus } from './deployment-status.ts'
import { progressDeadline } from './progress-condition.ts'
import { availableAt, count, podsOf, presentPods } from './owned-pods.ts'
import { createReplicaSetController, type ReplicaSetParts } from './replica-set-controller.ts'
import { replicaSetsOf, scaled, superfluous } from './replica-sets.ts'
import { type Rollout, settleRevision } from './revisions.ts'
import { planHeld, planRollout, type Scales } from './rollout-plan.ts'

const COMPONENT = 'deployment-controller'

/** Brings deployments, one move at a time, to what their specification says. */
export function createDeploymentController(parts: ReplicaSetParts) {
  const { store, events, timeline } = parts
  const replicaSets = createReplicaSetController(parts)

  const countsOf = (replicaSet: ReplicaSet): Counts =>
    count(replicaSet, podsOf(store, replicaSet), timeline.now())

  function plan({ deployment, current, old }: Rollout): Scales {
    const share = (replicaSet: ReplicaSet) => ({
      name: replicaSet.metadata.name,
      ...countsOf(replicaSet),
      present: presentPods(store, replicaSet).length,
    })
    const own = current && share(current)
    const others = old.map(share)
    return own === undefined || deployment.spec.paused
      ? planHeld(deployment, own === undefined ? others.toReversed() : [own, ...others])
      : planRollout(deployment, own, others)
  }

  function scale(deployment: Deployment, scales: Scales): void {
    for (const replicaSet of replicaSetsOf(store, deployment)) {
      const { name } = replicaSet.metadata
      const from = replicaSet.spec.replicas
      const to = scales.get(name) ?? from
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

  /** Reports what is, before the replica sets make of it what is to be: progress is what changes in between. */
  function follow({ deployment, current }: Rollout): void {
    const all = replicaSetsOf(store, deployment)
    const isCurrent = ({ metadata }: ReplicaSet) => metadata.uid === current?.metadata.uid
    const own = all.find(isCurrent)
    const standing = {
      current: own && { name: own.metadata.name, counts: countsOf(own) },
      old: all.filter((replicaSet) => !isCurrent(replicaSet)).map(countsOf),
    }
    const status = nextStatus(deployment, standing, timeline.now())
    store.put('deployments', { ...deployment, status })
    for (const replicaSet of all) replicaSets.sync(replicaSet)
  }

  return {
    sync(key: ObjectKey): void {
      const deployment = store.get('deployments', key)
      if (deployment === undefined) return
      const rollout = settleRevision(store, deployment, timeline.now())
      scale(rollout.deployment, plan(rollout))
      follow(rollout)
      for (const { metadata } of superfluous(deployment, rollout.old)) {
        store.remove('replicasets', metadata)
      }
    },

    /** When `sync` has something to do next even though nothing changes. */
    nextLook(key: ObjectKey): number | undefined {
      const deployment = store.get('deployments', key)
      if (deployment === undefined) return undefined
      const now = timeline.now()
      const pods = replicaSetsOf(store, deployment).flatMap((replicaSet) =>
        podsOf(store, replicaSet).map((pod) => availableAt(pod, replicaSet.spec.minReadySeconds)),
      )
      const moments = [progressDeadline(deployment), ...pods].filter((at) => at !== undefined)
      const next = Math.min(...moments.filter((at) => at > now))
      return next === Number.POSITIVE_INFINITY ? undefined : next
    },
  }
}
