import type { Pod, ReplicaSet } from '../objects.ts'
import type { Store } from '../store.ts'
import type { EventRecorder } from './event-recorder.ts'
import { nameSuffix } from './hash.ts'
import type { Kubelet } from './kubelet.ts'
import { newPod } from './new-pod.ts'
import { availableAt, countPods, type PodCounts, podsOf, referenceTo } from './ownership.ts'
import type { Timeline } from '../timeline.ts'

const COMPONENT = 'replicaset-controller'

export interface ReplicaSetParts {
  readonly store: Store
  readonly events: EventRecorder
  readonly kubelet: Kubelet
  readonly timeline: Timeline
}

/** Creates and removes pods until a replica set has as many as its specification says. */
export function createReplicaSetController({ store, events, kubelet, timeline }: ReplicaSetParts) {
  let created = 0

  function create(replicaSet: ReplicaSet): void {
    const { name, namespace } = replicaSet.metadata
    const pod = newPod(
      {
        name: freeName(namespace, name),
        namespace,
        generateName: `${name}-`,
        template: replicaSet.spec.template,
        owner: referenceTo(replicaSet),
      },
      timeline.now(),
    )
    note(replicaSet, 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`)
    kubelet.start(store.put('pods', pod))
  }

  /** Deterministic: every start of the demo produces the same names. */
  function freeName(namespace: string, prefix: string): string {
    const name = `${prefix}-${nameSuffix(`${prefix}/${created++}`)}`
    return store.get('pods', { namespace, name }) ? freeName(namespace, prefix) : name
  }

  function remove(replicaSet: ReplicaSet, pod: Pod): void {
    note(replicaSet, 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`)
    kubelet.stop(pod)
  }

  const note = (about: ReplicaSet, reason: string, message: string) =>
    events.record({ about, reason, message, component: COMPONENT })

  return {
    sync(replicaSet: ReplicaSet): void {
      const { replicas } = replicaSet.spec
      const before = podsOf(store, replicaSet)
      for (let missing = replicas - before.length; missing > 0; missing--) create(replicaSet)
      const excess = Math.max(before.length - replicas, 0)
      for (const pod of before.toSorted(byDeletionOrder).slice(0, excess)) remove(replicaSet, pod)

      const counts = countPods(replicaSet, podsOf(store, replicaSet), timeline.now())
      store.put('replicasets', { ...replicaSet, status: statusOf(replicaSet, counts) })
    },
  }
}

/** Pods that are not scheduled, not running or not ready come first, then the younger ones. */
function byDeletionOrder(a: Pod, b: Pod): number {
  const ranks = (pod: Pod) => [
    Number(pod.spec.nodeName !== undefined),
    Number(pod.status.phase === 'Running'),
    Number(availableAt(pod) !== undefined),
    -Date.parse(pod.metadata.creationTimestamp),
  ]
  const [left, right] = [ranks(a), ranks(b)]
  const first = left.findIndex((rank, index) => rank !== right[index])
  return (left[first] ?? 0) - (right[first] ?? 0)
}

function statusOf(
  { metadata }: ReplicaSet,
  { pods, ready, available }: PodCounts,
): ReplicaSet['status'] {
  return {
    observedGeneration: metadata.generation,
    replicas: pods,
    ...(pods > 0 && { fullyLabeledReplicas: pods }),
    ...(ready > 0 && { readyReplicas: ready }),
    ...(available > 0 && { availableReplicas: available }),
  }
}
