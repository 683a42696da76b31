import type { ApiObject, NamespacedMetadata, Pod, ReplicaSet } from '../objects.ts'
import type { Store } from '../store.ts'
import { findCondition } from './conditions.ts'

export type OwnerReference = NonNullable<NamespacedMetadata['ownerReferences']>[number]

interface Owner {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly uid: string }
}

/** The owner reference of an object that `owner` controls. */
export const referenceTo = ({ apiVersion, kind, metadata }: Owner): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid,
  controller: true,
  blockOwnerDeletion: true,
})

export const ownerOf = ({ metadata }: ApiObject): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller)

export const isOwnedBy = (object: ApiObject, { metadata: { uid } }: Owner): boolean =>
  ownerOf(object)?.uid === uid

/** All pods of a replica set, terminating ones included. */
export const allPodsOf = (store: Store, replicaSet: ReplicaSet): readonly Pod[] =>
  store.list('pods').filter((pod) => isOwnedBy(pod, replicaSet))

/** The pods of a replica set that are not terminating. */
export const podsOf = (store: Store, replicaSet: ReplicaSet): readonly Pod[] =>
  allPodsOf(store, replicaSet).filter(({ metadata }) => metadata.deletionTimestamp === undefined)

/** When a ready pod becomes available; undefined for a pod that is not ready. */
export function availableAt({ status }: Pod, minReadySeconds = 0): number | undefined {
  const ready = findCondition(status.conditions, 'Ready')
  if (ready?.status !== 'True') return undefined
  return Date.parse(ready.lastTransitionTime ?? '') + minReadySeconds * 1_000
}

export interface PodCounts {
  /** `spec.replicas` of the replica set. */
  readonly replicas: number
  readonly pods: number
  readonly ready: number
  readonly available: number
}

export function countPods({ spec }: ReplicaSet, pods: readonly Pod[], now: number): PodCounts {
  const availableTimes = pods
    .map((pod) => availableAt(pod, spec.minReadySeconds))
    .filter((at) => at !== undefined)
  return {
    replicas: spec.replicas,
    pods: pods.length,
    ready: availableTimes.length,
    available: availableTimes.filter((at) => at <= now).length,
  }
}
