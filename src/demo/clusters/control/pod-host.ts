import type { ContainerStatus, Pod } from '../objects.ts'
import type { Store } from '../store.ts'
import type { EventRecorder, EventNote } from './event-recorder.ts'
import { isInit, statusOf, withContainer } from './pod-status.ts'
import { play, type Script, type ScriptTiming } from './script.ts'

type PodEvent = Pick<EventNote, 'type' | 'reason' | 'message'>

/** A kubelet's access to one pod. Reads always return the pod's present state in the store. */
export interface PodHost {
  read(): Pod
  write(change: (pod: Pod, now: number) => Pod): void
  status(container: string): ContainerStatus
  change(
    container: string,
    change: (pod: Pod, status: ContainerStatus, now: number) => Partial<ContainerStatus>,
  ): void
  /** Records an event about the pod or one of its containers. */
  note(event: PodEvent, container?: string): void
  /** Plays a script while the pod exists and is not terminating. */
  play(script: Script): void
  /** Plays a script while the pod exists. */
  playUntilRemoved(script: Script): void
}

const KUBELET = 'kubelet'

export function createPodHost(
  { store, events, timing }: { store: Store; events: EventRecorder; timing: ScriptTiming },
  { metadata: { uid, name, namespace } }: Pod,
): PodHost {
  const key = { name, namespace }
  const find = () => {
    const pod = store.get('pods', key)
    return pod?.metadata.uid === uid ? pod : undefined
  }
  const read = () => {
    const pod = find()
    if (pod === undefined) throw new Error(`pod ${name} does not exist`)
    return pod
  }
  const status = (container: string) => {
    const found = statusOf(read(), container)
    if (found === undefined) throw new Error(`pod ${name} has no container ${container}`)
    return found
  }
  const write: PodHost['write'] = (change) => {
    store.put('pods', change(read(), timing.timeline.now()))
  }
  return {
    read,
    write,
    status,
    change(container, change) {
      write((pod, now) => withContainer(pod, container, change(pod, status(container), now), now))
    },
    note(event, container) {
      const about = read()
      events.record({
        about,
        ...(container !== undefined && { fieldPath: fieldPathOf(about, container) }),
        ...event,
        component: KUBELET,
        host: about.spec.nodeName ?? '',
      })
    },
    play: (script) =>
      play(timing, script, () => {
        const pod = find()
        return pod !== undefined && pod.metadata.deletionTimestamp === undefined
      }),
    playUntilRemoved: (script) => play(timing, script, () => find() !== undefined),
  }
}

const fieldPathOf = (pod: Pod, container: string) =>
  `spec.${isInit(pod, container) ? 'initContainers' : 'containers'}{${container}}`
