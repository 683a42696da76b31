import type { KubernetesContainerStatus, KubernetesPod } from '../../ports/kubernetes-objects.ts'

type Container = KubernetesPod['spec']['containers'][number]

/** In the order of the specification, init containers first. */
export const podContainersOf = ({ spec, status = {} }: KubernetesPod) => [
  ...containersOf(true, spec.initContainers, status.initContainerStatuses),
  ...containersOf(false, spec.containers, status.containerStatuses),
]

function containersOf(
  isInit: boolean,
  containers: readonly Container[] = [],
  statuses: readonly KubernetesContainerStatus[] = [],
) {
  // Indexed: a pod may have tens of thousands. The first status of a name counts.
  const byName = Map.groupBy(statuses, ({ name }) => name)
  return containers.map((container) => {
    const status = byName.get(container.name)?.[0]
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
  })
}

/** An init container that keeps running beside the others. */
export const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always'

/** Distinct images. */
export const imagesOf = (containers: readonly Container[]): readonly string[] => [
  ...new Set(containers.flatMap(({ image }) => image ?? [])),
]

function stateOf(status: KubernetesContainerStatus | undefined) {
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
