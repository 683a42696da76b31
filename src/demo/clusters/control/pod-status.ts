import { type Container, type ContainerStatus, type Pod, timestamp } from '../objects.ts'
import { setCondition } from './conditions.ts'
import { waiting } from './container-states.ts'

const GRACE_SECONDS = 30

export const isInit = (pod: Pod, name: string): boolean =>
  pod.spec.initContainers?.some((container) => container.name === name) ?? false

/** Sidecars are init containers that are restarted always. */
export const isSidecar = (pod: Pod, name: string): boolean =>
  pod.spec.initContainers?.some(
    (container) => container.name === name && container.restartPolicy === 'Always',
  ) ?? false

export const statusOf = (pod: Pod, container: string): ContainerStatus | undefined =>
  [...(pod.status.initContainerStatuses ?? []), ...(pod.status.containerStatuses ?? [])].find(
    ({ name }) => name === container,
  )

/** Sets the status of one container, and the pod's phase and conditions, which follow from its containers. */
export function withContainer(
  pod: Pod,
  container: string,
  change: Partial<ContainerStatus>,
  now: number,
): Pod {
  const apply = (statuses: readonly ContainerStatus[] = []) =>
    statuses.map((status) => (status.name === container ? { ...status, ...change } : status))
  const { initContainerStatuses, containerStatuses } = pod.status
  const status = {
    ...pod.status,
    ...(initContainerStatuses && { initContainerStatuses: apply(initContainerStatuses) }),
    containerStatuses: apply(containerStatuses),
  }
  return withDerivedStatus({ ...pod, status }, now)
}

/** Derives the pod's phase and conditions from its container statuses. */
export function withDerivedStatus(pod: Pod, now: number): Pod {
  const phase = phaseOf(pod)
  const incomplete = incompleteInits(pod)
  const unready = unreadyContainers(pod)
  const isCompleted = phase === 'Succeeded'
  const ready = isCompleted
    ? no('PodCompleted')
    : unready.length > 0
      ? no('ContainersNotReady', `containers with unready status: [${unready.join(' ')}]`)
      : yes
  const initialized =
    incomplete.length > 0
      ? no(
          'ContainersNotInitialized',
          `containers with incomplete status: [${incomplete.join(' ')}]`,
        )
      : { ...yes, ...(isCompleted && { reason: 'PodCompleted' }) }
  const conditions = [
    {
      type: 'PodReadyToStartContainers',
      ...(isCompleted || pod.status.podIP === undefined ? no() : yes),
    },
    { type: 'Initialized', ...initialized },
    { type: 'Ready', ...ready },
    { type: 'ContainersReady', ...ready },
    { type: 'PodScheduled', ...yes },
  ].reduce((before, next) => setCondition(before, next, now), pod.status.conditions ?? [])
  return { ...pod, status: { ...pod.status, phase, conditions } }
}

const yes = { status: 'True', lastProbeTime: null }
const no = (reason?: string, message?: string) => ({
  status: 'False',
  lastProbeTime: null,
  ...(reason !== undefined && { reason }),
  ...(message !== undefined && { message }),
})

function incompleteInits(pod: Pod): readonly string[] {
  return (pod.status.initContainerStatuses ?? [])
    .filter(({ name, state, started }) =>
      isSidecar(pod, name) ? started !== true : state?.terminated?.exitCode !== 0,
    )
    .map(({ name }) => name)
}

function unreadyContainers(pod: Pod): readonly string[] {
  const sidecars = (pod.status.initContainerStatuses ?? []).filter(({ name }) =>
    isSidecar(pod, name),
  )
  return [...sidecars, ...(pod.status.containerStatuses ?? [])]
    .filter(({ ready }) => !ready)
    .map(({ name }) => name)
}

/** A container in back-off has run before: only one that never started keeps a pod pending. */
function phaseOf(pod: Pod): string {
  const { containerStatuses = [] } = pod.status
  const isPending = containerStatuses.some(
    ({ state, lastState }) => state?.waiting !== undefined && lastState?.terminated === undefined,
  )
  if (isPending || incompleteInits(pod).length > 0) return 'Pending'
  const ended = containerStatuses.filter(({ state }) => state?.terminated)
  if (pod.spec.restartPolicy !== 'Never' || ended.length < containerStatuses.length)
    return 'Running'
  return ended.every(({ state }) => state?.terminated?.exitCode === 0) ? 'Succeeded' : 'Failed'
}

/** The pod when the kubelet of its node accepts it. */
export function admit(pod: Pod, hostIP: string, now: number): Pod {
  const { initContainers = [], containers } = pod.spec
  const reason = initContainers.length > 0 ? 'PodInitializing' : 'ContainerCreating'
  const firstStatus = ({ name, image = '' }: Container) => waiting(name, image, reason)
  const status = {
    ...pod.status,
    hostIP,
    hostIPs: [{ ip: hostIP }],
    startTime: timestamp(now),
    ...(initContainers.length > 0 && { initContainerStatuses: initContainers.map(firstStatus) }),
    containerStatuses: containers.map(firstStatus),
  }
  return withDerivedStatus({ ...pod, status }, now)
}

/** The pod when its deletion begins. A pod without a node has no grace period. */
export function markForDeletion(pod: Pod, now: number): Pod {
  const { nodeName, terminationGracePeriodSeconds = GRACE_SECONDS } = pod.spec
  const graceSeconds = nodeName === undefined ? 0 : terminationGracePeriodSeconds
  const metadata = {
    ...pod.metadata,
    deletionTimestamp: timestamp(now + graceSeconds * 1_000),
    deletionGracePeriodSeconds: graceSeconds,
  }
  return { ...pod, metadata }
}
