import type { Pod, ReplicaSet } from '../objects.ts'
import type { Store } from '../store.ts'
import { findCondition } from './conditions.ts'
import type { Counts } from './deployment-status.ts'
import { isOwnedBy } from './ownership.ts'

/** The pods of a replica set, and what they count for. */

/** Its pods, also those that are going. */
export const presentPods = (store: Store, replicaSet: ReplicaSet): readonly Pod[] =>
  store.list('pods').filter((pod) => isOwnedBy(pod, replicaSet))

/** Its pods that stay. They are never over: what ends in them is started again. */
export const podsOf = (store: Store, replicaSet: ReplicaSet): readonly Pod[] =>
  presentPods(store, replicaSet).filter(({ metadata }) => metadata.deletionTimestamp === undefined)

/** When the pod counts as available, if it is ready. */
export function availableAt({ status }: Pod, minReadySeconds = 0): number | undefined {
  const ready = findCondition(status.conditions, 'Ready')
  if (ready?.status !== 'True') return undefined
  return Date.parse(ready.lastTransitionTime ?? '') + minReadySeconds * 1_000
}

export function count({ spec }: ReplicaSet, pods: readonly Pod[], now: number): Counts {
  const since = pods.map((pod) => availableAt(pod, spec.minReadySeconds))
  return {
    replicas: spec.replicas,
    pods: pods.length,
    ready: since.filter((at) => at !== undefined).length,
    available: since.filter((at) => at !== undefined && at <= now).length,
  }
}
