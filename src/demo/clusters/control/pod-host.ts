import type { ContainerStatus, Pod } from '../objects.ts'
import type { Store } from '../store.ts'
import type { EventRecorder, Note } from './event-recorder.ts'
import { isInit, statusOf, withContainer } from './pod-status.ts'
import { play, type Script, type Stage } from './script.ts'

type Happening = Pick<Note, 'type' | 'reason' | 'message'>

/** A pod as its kubelet holds it: always what the store has of it now. */
export interface PodHost {
  read(): Pod
  write(change: (pod: Pod, now: number) => Pod): void
  status(container: string): ContainerStatus
  change(
    container: string,
    change: (pod: Pod, status: ContainerStatus, now: number) => Partial<ContainerStatus>,
  ): void
  /** About the pod, or one of its containers. */
  note(happening: Happening, container?: string): void
  /** Plays it for as long as the pod is neither gone nor going. */
  play(script: Script): void
  /** Plays it until the pod is gone. */
  playToTheEnd(script: Script): void
}

const KUBELET = 'kubelet'

export function createPodHost(
  { store, events, stage }: { store: Store; events: EventRecorder; stage: Stage },
  { metadata: { uid, name, namespace } }: Pod,
): PodHost {
  const key = { name, namespace }
  const find = () => {
    const pod = store.get('pods', key)
    return pod?.metadata.uid === uid ? pod : undefined
  }
  const read = () => {
    const pod = find()
    if (pod === undefined) throw new Error(`pod ${name} is gone`)
    return pod
  }
  const status = (container: string) => {
    const found = statusOf(read(), container)
    if (found === undefined) throw new Error(`pod ${name} has no container ${container}`)
    return found
  }
  const write: PodHost['write'] = (change) => {
    store.put('pods', change(read(), stage.timeline.now()))
  }
  return {
    read,
    write,
    status,
    change(container, change) {
      write((pod, now) => withContainer(pod, container, change(pod, status(container), now), now))
    },
    note(happening, container) {
      const about = read()
      events.record({
        about,
        ...(container !== undefined && { fieldPath: fieldPathOf(about, container) }),
        ...happening,
        component: KUBELET,
        host: about.spec.nodeName ?? '',
      })
    },
    play: (script) =>
      play(stage, script, () => {
        const pod = find()
        return pod !== undefined && pod.metadata.deletionTimestamp === undefined
      }),
    playToTheEnd: (script) => play(stage, script, () => find() !== undefined),
  }
}

const fieldPathOf = (pod: Pod, container: string) =>
  `spec.${isInit(pod, container) ? 'initContainers' : 'containers'}{${container}}`
