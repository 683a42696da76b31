import { type Container, type Pod, timestamp } from '../objects.ts'
import { notYet } from './container-states.ts'
import { settle } from './pod-status.ts'

const GRACE_SECONDS = 30

/** The kubelet of its node has taken note of it. */
export function admit(pod: Pod, hostIP: string, now: number): Pod {
  const { initContainers = [], containers } = pod.spec
  const waits = (reason: string) => (container: Container) =>
    notYet(container.name, container.image ?? '', reason)
  const first = initContainers.length > 0 ? 'PodInitializing' : 'ContainerCreating'
  const status = {
    ...pod.status,
    hostIP,
    hostIPs: [{ ip: hostIP }],
    startTime: timestamp(now),
    ...(initContainers.length > 0 && { initContainerStatuses: initContainers.map(waits(first)) }),
    containerStatuses: containers.map(waits(first)),
  }
  return settle({ ...pod, status }, now)
}

/** Its time is running out. */
export function mark(pod: Pod, now: number): Pod {
  const grace =
    pod.spec.nodeName === undefined ? 0 : (pod.spec.terminationGracePeriodSeconds ?? GRACE_SECONDS)
  const metadata = {
    ...pod.metadata,
    deletionTimestamp: timestamp(now + grace * 1_000),
    deletionGracePeriodSeconds: grace,
  }
  return { ...pod, metadata }
}
