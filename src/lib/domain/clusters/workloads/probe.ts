import type { KubernetesPod, KubernetesProbe } from '../../../ports/kubernetes-objects.ts'

type Container = KubernetesPod['spec']['containers'][number]

export interface ProbeView {
  readonly kind: 'startup' | 'liveness' | 'readiness'
  /** `HTTP GET :8080/healthz`, `TCP :5432`, `gRPC :9090` or `command`, whose arguments may be secret. */
  readonly action: string
  readonly initialDelaySeconds: number
  readonly periodSeconds: number
  readonly timeoutSeconds: number
  /** Failures in a row that count. */
  readonly failureThreshold: number
}

/** How the kubelet asks a container whether it works. */
export const probesOf = (container: Container): readonly ProbeView[] => [
  ...probeOf('startup', container.startupProbe),
  ...probeOf('liveness', container.livenessProbe),
  ...probeOf('readiness', container.readinessProbe),
]

/** With the defaults of the API server. */
const probeOf = (
  kind: ProbeView['kind'],
  probe: KubernetesProbe | undefined,
): readonly ProbeView[] =>
  probe === undefined
    ? []
    : [
        {
          kind,
          action: actionOf(probe),
          initialDelaySeconds: probe.initialDelaySeconds ?? 0,
          periodSeconds: probe.periodSeconds ?? 10,
          timeoutSeconds: probe.timeoutSeconds ?? 1,
          failureThreshold: probe.failureThreshold ?? 3,
        },
      ]

function actionOf({ httpGet, tcpSocket, grpc }: KubernetesProbe): string {
  if (tcpSocket !== undefined) return `TCP :${tcpSocket.port}`
  if (grpc !== undefined) return `gRPC :${grpc.port}`
  if (httpGet === undefined) return 'command'
  const { scheme = 'HTTP', port, path = '/' } = httpGet
  return `${scheme} GET :${port}${path.split('?', 1)[0]}`
}
