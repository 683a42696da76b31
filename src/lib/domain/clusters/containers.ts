import type {
  KubernetesContainerState,
  KubernetesContainerStatus,
  KubernetesPod,
  KubernetesProbe,
} from '../../ports/kubernetes-objects.ts'

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

/** Digest of the image that runs, as a registry has it. */
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

/** Reads container states. The API server omits Go's zero values: a missing member is 0, empty or false. */

type Terminated = NonNullable<KubernetesContainerState['terminated']>

/** Why a container ended, as kubectl prints it. */
export const endReasonOf = ({ reason = '', signal = 0, exitCode = 0 }: Terminated): string =>
  reason || (signal === 0 ? `ExitCode:${exitCode}` : `Signal:${signal}`)

/** Why a container waits or ended. */
export function reasonOf({ state }: KubernetesContainerStatus): string | null {
  const { waiting, terminated } = state ?? {}
  if (waiting?.reason) return waiting.reason
  return terminated === undefined ? null : endReasonOf(terminated)
}

export const hasSucceeded = ({ state }: KubernetesContainerStatus): boolean =>
  state?.terminated !== undefined && !state.terminated.exitCode

export const hasFailed = ({ state }: KubernetesContainerStatus): boolean =>
  Boolean(state?.terminated?.exitCode) && !state?.waiting?.reason

export const isRunningReady = (container: KubernetesContainerStatus): boolean =>
  container.ready === true && container.state?.running !== undefined && reasonOf(container) === null

export interface Ending {
  readonly container: string
  readonly terminated: Terminated
}

export const endingOf = ({ name, state }: KubernetesContainerStatus): readonly Ending[] =>
  state?.terminated === undefined ? [] : [{ container: name, terminated: state.terminated }]

/** Ending of the container's previous run. */
export const lastEndingOf = ({ name, lastState }: KubernetesContainerStatus): readonly Ending[] =>
  lastState?.terminated === undefined ? [] : [{ container: name, terminated: lastState.terminated }]

/** The latest ending, the first of equals. A container that Kubernetes lost has no time and counts as the earliest. */
export const latestOf = (endings: readonly Ending[]): Ending | undefined =>
  endings.toSorted((one, other) => finishedMs(other) - finishedMs(one))[0]

const finishedMs = ({ terminated }: Ending): number => Date.parse(terminated.finishedAt ?? '') || 0

/** How the kubelet asks a container whether it works. */
export const probesOf = (container: Container) => [
  ...probeOf('startup', container.startupProbe),
  ...probeOf('liveness', container.livenessProbe),
  ...probeOf('readiness', container.readinessProbe),
]

/** With the defaults of the API server. */
const probeOf = (kind: 'startup' | 'liveness' | 'readiness', probe: KubernetesProbe | undefined) =>
  probe === undefined
    ? []
    : [
        {
          kind,
          action: actionOf(probe),
          initialDelaySeconds: probe.initialDelaySeconds ?? 0,
          periodSeconds: probe.periodSeconds ?? 10,
          timeoutSeconds: probe.timeoutSeconds ?? 1,
          /** Failures in a row that count. */
          failureThreshold: probe.failureThreshold ?? 3,
        },
      ]

/** `HTTP GET :8080/healthz`, `TCP :5432`, `gRPC :9090` or `command`, whose arguments may be secret. */
function actionOf({ httpGet, tcpSocket, grpc }: KubernetesProbe): string {
  if (tcpSocket !== undefined) return `TCP :${tcpSocket.port}`
  if (grpc !== undefined) return `gRPC :${grpc.port}`
  if (httpGet === undefined) return 'command'
  const { scheme = 'HTTP', port, path = '/' } = httpGet
  return `${scheme} GET :${port}${path.split('?', 1)[0]}`
}
