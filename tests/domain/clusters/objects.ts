import type {
  KubernetesContainerState,
  KubernetesContainerStatus,
  KubernetesDeployment,
  KubernetesEvent,
  KubernetesPod,
} from '#src/lib/ports/kubernetes-objects.ts'

/** Kubernetes objects with the least that the API server always sends. */

type State = KubernetesContainerState

const metadata = { namespace: 'payments', uid: 'u-1', creationTimestamp: '2026-01-01T00:00:00Z' }

export const pod = (
  status: KubernetesPod['status'] = {},
  spec: Partial<KubernetesPod['spec']> = {},
  more: Partial<KubernetesPod['metadata']> = {},
): KubernetesPod => ({
  metadata: { name: 'shop-5d4f-x', ...metadata, ...more },
  spec: { containers: [{ name: 'a', image: 'shop:1' }], ...spec },
  status,
})

export const deployment = (
  status: KubernetesDeployment['status'] = {},
  spec: Partial<KubernetesDeployment['spec']> = {},
  more: Partial<KubernetesDeployment['metadata']> = {},
): KubernetesDeployment => ({
  metadata: { name: 'shop', generation: 1, ...metadata, ...more },
  spec: {
    replicas: 2,
    strategy: { type: 'RollingUpdate' },
    template: { spec: { containers: [{ name: 'a', image: 'shop:1' }] } },
    ...spec,
  },
  status: { observedGeneration: 1, ...status },
})

export const event = (more: Partial<KubernetesEvent> = {}): KubernetesEvent => ({
  metadata: { name: 'e', uid: 'u-2', creationTimestamp: '2026-01-01T00:00:00Z' },
  ...more,
})

export const RUNNING: State = { running: { startedAt: '2026-01-01T00:00:00Z' } }
export const DONE: State = { terminated: { exitCode: 0, reason: 'Completed' } }
export const waiting = (reason?: string, message?: string): State => ({
  waiting: { ...(reason !== undefined && { reason }), ...(message !== undefined && { message }) },
})
export const ended = (exitCode: number, more: State['terminated'] = {}): State => ({
  terminated: { exitCode, ...more },
})

/** How a container is: runs and is ready, if nothing else is said. */
export const is = (
  name: string,
  state: State | undefined = RUNNING,
  more: Partial<KubernetesContainerStatus> = {},
): KubernetesContainerStatus => {
  const runs = state.running !== undefined
  return { name, ready: runs, started: runs, restartCount: 0, state, lastState: {}, ...more }
}

/** Restarted so often, and the run before ended then. */
export const restarted = (
  restartCount: number,
  finishedAt: string | null,
  more: State['terminated'] = { exitCode: 1, reason: 'Error' },
): Partial<KubernetesContainerStatus> => ({
  restartCount,
  lastState: { terminated: { ...more, finishedAt } },
})

export const condition = (type: string, status: string, reason?: string, message?: string) => ({
  type,
  status,
  ...(reason !== undefined && { reason }),
  ...(message !== undefined && { message }),
})
