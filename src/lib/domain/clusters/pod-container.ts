import type { KubernetesContainerStatus, KubernetesPod } from '../../ports/kubernetes-objects.ts'

export interface PodContainer {
  readonly name: string
  readonly image: string | null
  readonly init: boolean
  readonly sidecar: boolean
  readonly ready: boolean
  readonly started: boolean | null
  readonly restarts: number
  readonly state: 'waiting' | 'running' | 'terminated' | null
  readonly reason: string | null
  readonly message: string | null
}

type Container = KubernetesPod['spec']['containers'][number]

/** In the order of the specification, init containers first. */
export function podContainersOf({ spec, status = {} }: KubernetesPod): readonly PodContainer[] {
  const { initContainers = [], containers } = spec
  const { initContainerStatuses = [], containerStatuses = [] } = status
  const initStatusOf = finder(initContainerStatuses)
  const statusOf = finder(containerStatuses)
  return [
    ...initContainers.map((each) => containerOf(each, true, initStatusOf(each.name))),
    ...containers.map((each) => containerOf(each, false, statusOf(each.name))),
  ]
}

/** The first of a name. There may be tens of thousands. */
function finder(statuses: readonly KubernetesContainerStatus[]) {
  const byName = Map.groupBy(statuses, ({ name }) => name)
  return (name: string): KubernetesContainerStatus | undefined => byName.get(name)?.[0]
}

/** An init container that goes on beside the others. */
export const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always'

/** Without repetition. */
export const imagesOf = (containers: readonly Container[]): readonly string[] => [
  ...new Set(containers.flatMap(({ image }) => image ?? [])),
]

function containerOf(
  container: Container,
  isInit: boolean,
  status: KubernetesContainerStatus | undefined,
): PodContainer {
  return {
    name: container.name,
    image: container.image ?? null,
    init: isInit,
    sidecar: isInit && isSidecar(container),
    ready: status?.ready ?? false,
    started: status?.started ?? null,
    restarts: status?.restartCount ?? 0,
    ...stateOf(status),
  }
}

function stateOf(
  status: KubernetesContainerStatus | undefined,
): Pick<PodContainer, 'state' | 'reason' | 'message'> {
  if (status === undefined) return { state: null, reason: null, message: null }
  const { waiting, running, terminated } = status.state ?? {}
  const { reason, message } = terminated ?? waiting ?? {}
  return {
    // Kubernetes: "if none of them is specified, the default one is ContainerStateWaiting".
    state: terminated ? 'terminated' : running ? 'running' : 'waiting',
    reason: reason || null,
    message: message || null,
  }
}
