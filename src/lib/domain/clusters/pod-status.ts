import type { KubernetesContainerStatus, KubernetesPod } from '../../ports/kubernetes-objects.ts'
import {
  endReasonOf,
  hasFailed,
  hasSucceeded,
  isRunningReady,
  isSidecar,
  lastEndingOf,
  latestOf,
  reasonOf,
} from './containers.ts'

/** STATUS, READY and RESTARTS of `kubectl get pods`: `printPod` in Kubernetes' `pkg/printers`, as of 1.35. */
export interface PodStatus extends Verdict {
  readonly ready: { readonly ready: number; readonly total: number }
  readonly restarts: number
  readonly lastRestartAt: string | null
}

interface Verdict {
  readonly status: string
  /** The container that `status` describes; `null` when it describes the whole pod. */
  readonly decidedBy: KubernetesContainerStatus | null
}

export function podStatus(pod: KubernetesPod): PodStatus {
  const { containers, initContainers = [] } = pod.spec
  const { containerStatuses = [], conditions = [] } = pod.status ?? {}
  const sidecars = new Set(initContainers.filter(isSidecar).map(({ name }) => name))

  const { seen, pending } = initialisationOf(pod, sidecars)
  const isInitialised =
    pending === null || conditions.find(({ type }) => type === 'Initialized')?.status === 'True'
  const fallback = pending ?? verdictOfPod(pod)
  const verdict = isInitialised ? verdictOfContainers(pod, fallback) : fallback

  const seenSidecars = seen.filter(({ name }) => sidecars.has(name))
  // kubectl drops the restarts of init containers once the pod is initialised.
  const counted = isInitialised ? [...seenSidecars, ...containerStatuses] : seen
  const restarts = counted.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0)
  return {
    ...(verdictOfDeletion(pod) ?? verdict),
    ready: {
      ready:
        seenSidecars.filter((each) => each.started && each.ready && !hasSucceeded(each)).length +
        (isInitialised ? containerStatuses.filter(isRunningReady).length : 0),
      total: containers.length + sidecars.size,
    },
    restarts,
    lastRestartAt:
      restarts === 0
        ? null
        : (latestOf(counted.flatMap(lastEndingOf))?.terminated.finishedAt ?? null),
  }
}

/** Init containers run one after the other: the pod waits for the first unfinished one. */
function initialisationOf(
  { spec, status }: KubernetesPod,
  sidecars: ReadonlySet<string>,
): { readonly seen: readonly KubernetesContainerStatus[]; readonly pending: Verdict | null } {
  const statuses = status?.initContainerStatuses ?? []
  const at = statuses.findIndex(
    (each) => !hasSucceeded(each) && !(sidecars.has(each.name) && each.started),
  )
  const container = statuses[at]
  if (container === undefined) return { seen: statuses, pending: null }
  const reason = initReasonOf(container) ?? `${at}/${spec.initContainers?.length ?? 0}`
  return {
    seen: statuses.slice(0, at + 1),
    pending: { status: `Init:${reason}`, decidedBy: container },
  }
}

function initReasonOf({ state }: KubernetesContainerStatus): string | null {
  const { waiting, terminated } = state ?? {}
  if (terminated !== undefined) return endReasonOf(terminated)
  return waiting?.reason && waiting.reason !== 'PodInitializing' ? waiting.reason : null
}

const SCHEDULING_GATED = 'SchedulingGated'

function verdictOfPod({ status }: KubernetesPod): Verdict {
  const { reason = '', phase = '', conditions = [] } = status ?? {}
  const isGated = conditions.some(
    (each) => each.type === 'PodScheduled' && each.reason === SCHEDULING_GATED,
  )
  return { status: isGated ? SCHEDULING_GATED : reason || phase, decidedBy: null }
}

/** The first container with a reason decides; `Completed` yields to running and failed containers. */
function verdictOfContainers({ status }: KubernetesPod, fallback: Verdict): Verdict {
  const { containerStatuses = [], conditions = [] } = status ?? {}
  const deciding = containerStatuses.find((each) => reasonOf(each) !== null)
  const verdict = deciding === undefined ? fallback : verdictOf(deciding)
  if (verdict.status !== 'Completed') return verdict

  const isRunning = containerStatuses.some(isRunningReady)
  const isReady = conditions.some((each) => each.type === 'Ready' && each.status === 'True')
  if (isRunning && isReady) return { status: 'Running', decidedBy: null }
  const failed = containerStatuses.find(hasFailed)
  if (failed !== undefined) return verdictOf(failed)
  return isRunning ? { status: 'NotReady', decidedBy: null } : verdict
}

const verdictOf = (container: KubernetesContainerStatus): Verdict => ({
  status: reasonOf(container) ?? '',
  decidedBy: container,
})

function verdictOfDeletion({ metadata, status }: KubernetesPod): Verdict | null {
  if (metadata.deletionTimestamp === undefined) return null
  if (status?.reason === 'NodeLost') return { status: 'Unknown', decidedBy: null }
  const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed'
  return isOver ? null : { status: 'Terminating', decidedBy: null }
}
