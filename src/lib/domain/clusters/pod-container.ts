import type { KubernetesContainerStatus, KubernetesPod } from '../../ports/kubernetes-objects.ts'
import { lastEndingOf } from './container-state.ts'

type Container = KubernetesPod['spec']['containers'][number]

/** In the order of the specification, init containers first, those that somebody added for debugging last. */
export const podContainersOf = ({ spec, status = {} }: KubernetesPod) => [
  ...containersOf('init', spec.initContainers, status.initContainerStatuses),
  ...containersOf('main', spec.containers, status.containerStatuses),
  ...containersOf('ephemeral', spec.ephemeralContainers, status.ephemeralContainerStatuses),
]

function containersOf(
  role: 'init' | 'main' | 'ephemeral',
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
      digest: digestIn(status?.imageID),
      init: role === 'init',
      sidecar: role === 'init' && isSidecar(container),
      ephemeral: role === 'ephemeral',
      ready: status?.ready ?? false,
      started: status?.started ?? null,
      restarts: status?.restartCount ?? 0,
      ...stateOf(status),
      lastTermination: status === undefined ? null : lastTerminationOf(status),
    }
  })
}

/** Of the image that runs, as a registry has it. */
const digestIn = (imageID = ''): string | null => /@(sha\d+:[0-9a-f]+)$/.exec(imageID)?.[1] ?? null

/** How the run before ended. */
function lastTerminationOf(status: KubernetesContainerStatus) {
  const [last] = lastEndingOf(status)
  if (last === undefined) return null
  const { reason, exitCode = 0, finishedAt = null } = last.terminated
  return { reason: reason || null, exitCode, finishedAt }
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
