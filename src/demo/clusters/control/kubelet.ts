import type { Container, Pod } from '../objects.ts'
import type { Store } from '../store.ts'
import { type Behaviour, type BehaviourOf, INIT_CONTAINER, JOB, SERVICE } from './behaviour.ts'
import { setCondition } from './conditions.ts'
import { liveContainer } from './container-life.ts'
import type { EventRecorder } from './event-recorder.ts'
import type { PodPlacement } from './nodes.ts'
import { createPodHost, type PodHost } from './pod-host.ts'
import { admit, isSidecar, markForDeletion, withDerivedStatus } from './pod-status.ts'
import type { Script, ScriptTiming } from './script.ts'

const SCHEDULE_STEPS = 0.2
const ADMIT_STEPS = 0.1
const SANDBOX_STEPS = 0.2
const END_STEPS = 1

export interface Kubelet {
  /** Starts to run a pod that is in the store. */
  start(pod: Pod): void
  /** Terminates a pod within its grace period and removes it from the store. Call it once for a pod. */
  stop(pod: Pod): void
}

export interface KubeletParts {
  readonly store: Store
  readonly events: EventRecorder
  readonly timing: ScriptTiming
  readonly behaviourOf: BehaviourOf
  readonly placePod: () => PodPlacement
}

/** The scheduler and all kubelets of a cluster. */
export function createKubelet({ placePod, behaviourOf, ...parts }: KubeletParts): Kubelet {
  const { store, events, timing } = parts

  function* run(host: PodHost): Script {
    yield SCHEDULE_STEPS
    const { node, podIP } = placePod()
    schedule(host, node.name)
    yield ADMIT_STEPS
    host.write((pod, now) => admit(pod, node.hostIP, now))
    yield SANDBOX_STEPS
    host.write((pod, now) => {
      const status = { ...pod.status, podIP, podIPs: [{ ip: podIP }] }
      return withDerivedStatus({ ...pod, status }, now)
    })
    for (const container of host.read().spec.initContainers ?? []) {
      if ((yield* runInitContainer(host, container)) === 'stuck') return
    }
    const { containers, restartPolicy } = host.read().spec
    const fallback = restartPolicy === 'Never' ? JOB : SERVICE
    for (const container of containers) {
      host.play(liveContainer(host, planFor(container, fallback)))
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

  /** Runs an init container until the next one may start: to its end, or until it is ready if it is a sidecar. */
  function* runInitContainer(
    host: PodHost,
    container: Container,
  ): Generator<number, 'done' | 'stuck'> {
    const { name } = container
    const isLongRunning = isSidecar(host.read(), name)
    yield* liveContainer(host, planFor(container, isLongRunning ? SERVICE : INIT_CONTAINER))
    return isLongRunning || host.status(name).state?.terminated ? 'done' : 'stuck'
  }

  const planFor = ({ name, image = '' }: Container, fallback: Behaviour) => ({
    name,
    image,
    behaviour: () => behaviourOf(image) ?? fallback,
  })

  function* terminate(host: PodHost, pod: Pod): Script {
    for (const { name, state } of pod.status.containerStatuses ?? []) {
      if (state?.running)
        host.note({ reason: 'Killing', message: `Stopping container ${name}` }, name)
    }
    const lingers = pod.spec.containers.some(
      ({ image = '' }) => behaviourOf(image)?.does === 'linger',
    )
    const graceMs = (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1_000
    yield lingers ? graceMs / timing.pace.stepMs : END_STEPS
    store.remove('pods', pod.metadata)
  }

  return {
    start(pod) {
      const host = createPodHost(parts, pod)
      host.play(run(host))
    },
    stop(pod) {
      const host = createPodHost(parts, pod)
      host.write((before, now) => markForDeletion(before, now))
      host.playUntilRemoved(terminate(host, host.read()))
    },
  }
}
