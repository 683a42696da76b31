import type { ContainerStatus, Pod } from '../objects.ts'
import { setCondition } from './conditions.ts'

export const isInit = (pod: Pod, name: string): boolean =>
  pod.spec.initContainers?.some((container) => container.name === name) ?? false

/** Init containers that go on beside the others. */
export const isSidecar = (pod: Pod, name: string): boolean =>
  pod.spec.initContainers?.some(
    (container) => container.name === name && container.restartPolicy === 'Always',
  ) ?? false

export const statusOf = (pod: Pod, container: string): ContainerStatus | undefined =>
  [...(pod.status.initContainerStatuses ?? []), ...(pod.status.containerStatuses ?? [])].find(
    ({ name }) => name === container,
  )

/** The pod after one of its containers changed: its phase and conditions follow from what the containers do. */
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
  return settle({ ...pod, status }, now)
}

export function settle(pod: Pod, now: number): Pod {
  const phase = phaseOf(pod)
  const incomplete = incompleteInits(pod)
  const unready = unreadyContainers(pod)
  const isOver = phase === 'Succeeded'
  const ready = isOver
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
      : { ...yes, ...(isOver && { reason: 'PodCompleted' }) }
  const conditions = [
    {
      type: 'PodReadyToStartContainers',
      ...(isOver || pod.status.podIP === undefined ? no() : yes),
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

/** A container that waits for its next start has run: only what never started keeps a pod pending. */
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
