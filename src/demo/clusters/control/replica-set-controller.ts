import type { Pod, ReplicaSet } from '../objects.ts'
import type { Store } from '../store.ts'
import type { Counts } from './deployment-status.ts'
import type { EventRecorder } from './event-recorder.ts'
import { nameSuffix } from './hash.ts'
import type { Kubelet } from './kubelet.ts'
import { newPod } from './new-pod.ts'
import { availableAt, count, podsOf } from './owned-pods.ts'
import { referenceTo } from './ownership.ts'
import type { Timeline } from '../timeline.ts'

const COMPONENT = 'replicaset-controller'

export interface ReplicaSetParts {
  readonly store: Store
  readonly events: EventRecorder
  readonly kubelet: Kubelet
  readonly timeline: Timeline
}

/** Makes and removes pods until there are as many as the replica set is to have. */
export function createReplicaSetController({ store, events, kubelet, timeline }: ReplicaSetParts) {
  let made = 0

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

  /** The same at every start, as long as the same happens. */
  function freeName(namespace: string, prefix: string): string {
    const name = `${prefix}-${nameSuffix(`${prefix}/${made++}`)}`
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
      for (const pod of before.toSorted(byWorth).slice(0, excess)) remove(replicaSet, pod)

      const counts = count(replicaSet, podsOf(store, replicaSet), timeline.now())
      store.put('replicasets', { ...replicaSet, status: statusOf(replicaSet, counts) })
    },
  }
}

/** What is worth least goes first: not placed, not running, not ready, then the younger. */
function byWorth(a: Pod, b: Pod): number {
  const worth = (pod: Pod) => [
    Number(pod.spec.nodeName !== undefined),
    Number(pod.status.phase === 'Running'),
    Number(availableAt(pod) !== undefined),
    -Date.parse(pod.metadata.creationTimestamp),
  ]
  const [left, right] = [worth(a), worth(b)]
  const at = left.findIndex((value, index) => value !== right[index])
  return (left[at] ?? 0) - (right[at] ?? 0)
}

function statusOf(
  { metadata }: ReplicaSet,
  { pods, ready, available }: Counts,
): ReplicaSet['status'] {
  return {
    observedGeneration: metadata.generation,
    replicas: pods,
    ...(pods > 0 && { fullyLabeledReplicas: pods }),
    ...(ready > 0 && { readyReplicas: ready }),
    ...(available > 0 && { availableReplicas: available }),
  }
}
