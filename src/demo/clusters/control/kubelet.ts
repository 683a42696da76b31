import type { Container, Pod } from '../objects.ts'
import type { Store } from '../store.ts'
import { type Behaviour, type Behaviours, DOES_A_JOB, PREPARES, SERVES } from './behaviour.ts'
import { setCondition } from './conditions.ts'
import { liveContainer } from './container-life.ts'
import type { EventRecorder } from './event-recorder.ts'
import type { Place } from './nodes.ts'
import { createPodHost, type PodHost } from './pod-host.ts'
import { admit, mark } from './pod-marks.ts'
import { isSidecar, settle } from './pod-status.ts'
import type { Script, Stage } from './script.ts'

const SCHEDULE_STEPS = 0.2
const ADMIT_STEPS = 0.1
const SANDBOX_STEPS = 0.2
const END_STEPS = 1

export interface Kubelet {
  /** Brings a pod to life that is in the store. */
  start(pod: Pod): void
  /** Takes its life in the time that it is given, and the pod out of the store. Once for a pod. */
  stop(pod: Pod): void
}

export interface KubeletParts {
  readonly store: Store
  readonly events: EventRecorder
  readonly stage: Stage
  readonly behaviours: Behaviours
  readonly takePlace: () => Place
}

/** The scheduler and all kubelets of a cluster. */
export function createKubelet({ takePlace, behaviours, ...parts }: KubeletParts): Kubelet {
  const { store, events, stage } = parts

  function* live(host: PodHost): Script {
    yield SCHEDULE_STEPS
    const { node, podIP } = takePlace()
    schedule(host, node.name)
    yield ADMIT_STEPS
    host.write((pod, now) => admit(pod, node.hostIP, now))
    yield SANDBOX_STEPS
    host.write((pod, now) => {
      const status = { ...pod.status, podIP, podIPs: [{ ip: podIP }] }
      return settle({ ...pod, status }, now)
    })
    for (const container of host.read().spec.initContainers ?? []) {
      if ((yield* prepare(host, container)) === 'stuck') return
    }
    const { containers, restartPolicy } = host.read().spec
    const purpose = restartPolicy === 'Never' ? DOES_A_JOB : SERVES
    for (const container of containers) {
      host.play(liveContainer(host, planFor(container, purpose)))
    }
  }

  function schedule(host: PodHost, nodeName: string): void {
    const { name, namespace } = host.read().metadata
    const message = `Successfully assigned ${namespace}/${name} to ${nodeName}`
    events.record({
      about: host.read(),
      reason: 'Scheduled',
      message,
      component: 'default-scheduler',
    })
    host.write((pod, now) => {
      const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null }
      const conditions = setCondition(pod.status.conditions ?? [], scheduled, now)
      return { ...pod, spec: { ...pod.spec, nodeName }, status: { ...pod.status, conditions } }
    })
  }

  /** One init container after the other, each when the one before has ended or, if it goes on beside the pod, is ready. */
  function* prepare(host: PodHost, container: Container): Generator<number, 'goes_on' | 'stuck'> {
    const { name } = container
    const goesOn = isSidecar(host.read(), name)
    yield* liveContainer(host, planFor(container, goesOn ? SERVES : PREPARES))
    return goesOn || host.status(name).state?.terminated ? 'goes_on' : 'stuck'
  }

  const planFor = ({ name, image = '' }: Container, fallback: Behaviour) => ({
    name,
    image,
    behaviour: behaviours[image] ?? fallback,
  })

  function* end(host: PodHost, pod: Pod): Script {
    for (const { name, state } of pod.status.containerStatuses ?? []) {
      if (state?.running)
        host.note({ reason: 'Killing', message: `Stopping container ${name}` }, name)
    }
    const lingers = pod.spec.containers.some(
      ({ image = '' }) => behaviours[image]?.does === 'linger',
    )
    const graceMs = (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1_000
    yield lingers ? graceMs / stage.pace.stepMs : END_STEPS
    store.remove('pods', pod.metadata)
  }

  return {
    start(pod) {
      const host = createPodHost(parts, pod)
      host.play(live(host))
    },
    stop(pod) {
      const host = createPodHost(parts, pod)
      host.write((before, now) => mark(before, now))
      host.playToTheEnd(end(host, host.read()))
    },
  }
}
