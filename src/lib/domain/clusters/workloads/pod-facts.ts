import type { KubernetesContainerStatus, KubernetesPod } from '../../../ports/kubernetes-objects.ts'
import {
  type Ending,
  endingOf,
  endReasonOf,
  hasSucceeded,
  imagesOf,
  isSidecar,
  lastEndingOf,
  latestOf,
} from '../containers.ts'
import { podStatus } from '../pod-status.ts'
import { POD_HASH } from './sets.ts'
import {
  type Controller,
  controllerOf,
  factsOf,
  verdict,
  type Verdict,
  type WorkloadFacts,
} from './workload.ts'

/** The reason why a pod does not work. */
export interface Trouble {
  readonly reason: string
  /** A few words that explain the reason, such as `memory limit 128Mi`. */
  readonly detail: string | null
  /** The cluster's own words. */
  readonly words: string | null
  readonly since: string | null
  /** Worst first. */
  readonly rank: number
  /** Before this time the pod may still be starting, in milliseconds; `null` until its startup time is over. */
  readonly certainAt: number | null
}

/** Facts of a pod. */
export interface PodFacts {
  readonly uid: string
  readonly name: string
  readonly controller: Controller | null
  /** Revision of the template that it was made of. */
  readonly revision: string | null
  readonly isReady: boolean
  /** It has ended, or is being stopped: it says nothing about the workload any more. */
  readonly isOver: boolean
  readonly createdAt: string
  readonly restarts: number
  readonly lastRestartAt: string | null
  /** Why its last container ended. */
  readonly lastEnd: Pick<Trouble, 'reason' | 'detail'> | null
  readonly trouble: Trouble | null
}

const CONTROLLER_HASH = 'controller-revision-hash'

const [CRASHED, MISCONFIGURED, NO_IMAGE, UNSCHEDULABLE, NOT_READY] = [0, 1, 2, 3, 4]

/** A pod that no node takes, or that has lost its readiness, is a failure after this time. */
const PASSING_MS = 60_000

/** Rank of each waiting reason. */
const WAITS: Readonly<Record<string, number>> = {
  CrashLoopBackOff: CRASHED,
  RunContainerError: MISCONFIGURED,
  CreateContainerConfigError: MISCONFIGURED,
  CreateContainerError: MISCONFIGURED,
  CreatePodSandboxError: MISCONFIGURED,
  StartError: MISCONFIGURED,
  ImagePullBackOff: NO_IMAGE,
  ErrImagePull: NO_IMAGE,
  ErrImageNeverPull: NO_IMAGE,
  InvalidImageName: NO_IMAGE,
  ImageInspectError: NO_IMAGE,
  RegistryUnavailable: NO_IMAGE,
  SignatureValidationFailed: NO_IMAGE,
}

export function podFacts(pod: KubernetesPod): PodFacts {
  const { metadata, spec, status = {} } = pod
  const { restarts, lastRestartAt } = podStatus(pod)
  const isOver =
    metadata.deletionTimestamp !== undefined ||
    status.phase === 'Succeeded' ||
    status.phase === 'Failed'
  const ready = conditionOf(pod, 'Ready')
  const end = latestOf(
    statusesOf(pod).flatMap((each) => [...endingOf(each), ...lastEndingOf(each)]),
  )
  return {
    uid: metadata.uid,
    name: metadata.name,
    controller: controllerOf(metadata),
    revision: metadata.labels?.[POD_HASH] ?? metadata.labels?.[CONTROLLER_HASH] ?? null,
    isReady: ready?.status === 'True' && !isOver,
    isOver,
    createdAt: metadata.creationTimestamp,
    restarts,
    lastRestartAt,
    lastEnd:
      end === undefined
        ? null
        : { reason: endReasonOf(end.terminated), detail: detailOf(pod, end.container, end) },
    trouble: isOver || spec.containers.length === 0 ? null : troubleOf(pod),
  }
}

const conditionOf = ({ status = {} }: KubernetesPod, type: string) =>
  status.conditions?.find((each) => each.type === type)

const statusesOf = ({ status = {} }: KubernetesPod): readonly KubernetesContainerStatus[] => [
  ...(status.initContainerStatuses ?? []),
  ...(status.containerStatuses ?? []),
]

function troubleOf(pod: KubernetesPod): Trouble | null {
  const ready = conditionOf(pod, 'Ready')
  if (ready?.status === 'True') return null
  const since = ready?.lastTransitionTime ?? pod.metadata.creationTimestamp
  const troubles = statusesOf(pod).flatMap((each) => containerTrouble(pod, each, since) ?? [])
  const [worst] = troubles.toSorted((one, other) => one.rank - other.rank)
  return worst ?? schedulingTrouble(pod) ?? readinessTrouble(pod, since)
}

function containerTrouble(
  pod: KubernetesPod,
  container: KubernetesContainerStatus,
  since: string,
): Trouble | null {
  const { state = {}, restartCount = 0 } = container
  const waitReason = state.waiting?.reason ?? ''
  const rank = WAITS[waitReason]
  const [ended] = endingOf(container)
  const [end = ended] = lastEndingOf(container)
  const crashed = (reason: string, last: Ending | undefined): Trouble => ({
    reason,
    detail: last === undefined ? null : detailOf(pod, container.name, last),
    words: last?.terminated.message || null,
    since,
    rank: CRASHED,
    certainAt: 0,
  })
  if (rank === CRASHED) {
    const reason = end === undefined ? waitReason : endReasonOf(end.terminated)
    const isTelling = end !== undefined && !['Error', 'Completed', ''].includes(reason)
    return crashed(isTelling ? reason : 'CrashLoopBackOff', end)
  }
  if (rank !== undefined) {
    const words = state.waiting?.message || null
    return { reason: waitReason, detail: null, words, since, rank, certainAt: 0 }
  }
  // Between two runs: it has ended, and is not waiting for the next start yet; or it runs again, and is not ready.
  const isRestarting = state.running !== undefined && restartCount > 0 && container.ready !== true
  const hasEnded = state.terminated !== undefined && !hasSucceeded(container)
  if (!isRestarting && !hasEnded) return null
  const last = hasEnded ? ended : end
  return last === undefined ? null : crashed(endReasonOf(last.terminated), last)
}

/** The limit that it met, or the code that it ended with. */
function detailOf({ spec }: KubernetesPod, name: string, { terminated }: Ending): string | null {
  const container = [...spec.containers, ...(spec.initContainers ?? [])].find(
    (each) => each.name === name,
  )
  if (terminated.reason === 'OOMKilled') {
    const limit = container?.resources?.limits?.['memory']
    return limit === undefined ? 'no memory limit; its node ran out' : `memory limit ${limit}`
  }
  const { exitCode = 0, signal = 0 } = terminated
  return signal === 0 ? `exit code ${exitCode}` : `signal ${signal}`
}

function schedulingTrouble(pod: KubernetesPod): Trouble | null {
  const scheduled = conditionOf(pod, 'PodScheduled')
  if (scheduled?.status !== 'False') return null
  const since = scheduled.lastTransitionTime ?? pod.metadata.creationTimestamp
  return {
    reason: scheduled.reason || 'Unschedulable',
    detail: null,
    words: scheduled.message || null,
    since,
    rank: UNSCHEDULABLE,
    // A gate is opened by somebody else; a node may have to be started first.
    certainAt: scheduled.reason === 'SchedulingGated' ? null : Date.parse(since) + PASSING_MS,
  }
}

/** It runs. Readiness that it had and lost dates from after the start of its containers. */
function readinessTrouble(pod: KubernetesPod, since: string): Trouble {
  const { status = {}, spec } = pod
  const inits = new Set(
    (spec.initContainers ?? []).filter((each) => !isSidecar(each)).map(({ name }) => name),
  )
  const starts = statusesOf(pod)
    .filter(({ name }) => !inits.has(name))
    .map(({ state }) => Date.parse(state?.running?.startedAt ?? ''))
  const wasReady = starts.every((at) => at < Date.parse(since))
  const words = conditionOf(pod, 'Ready')?.message || status.message || null
  return {
    reason: 'NotReady',
    detail: null,
    words,
    since,
    rank: NOT_READY,
    certainAt: starts.length > 0 && wasReady ? Date.parse(since) + PASSING_MS : null,
  }
}

/** A pod as a workload of its own. */
export function podWorkload(pod: KubernetesPod): WorkloadFacts {
  const { metadata, spec } = pod
  return factsOf('Pod', metadata, podVerdict(pod), { images: imagesOf(spec.containers) })
}

function podVerdict(pod: KubernetesPod): Verdict {
  const { status = {} } = pod
  const { status: printed } = podStatus(pod)
  const ready = conditionOf(pod, 'Ready')
  if (status.phase === 'Succeeded') return verdict('Healthy', 'It has completed', 'Completed')
  if (status.phase === 'Failed') {
    const end = latestOf(statusesOf(pod).flatMap(endingOf))
    const detail = end && detailOf(pod, end.container, end)
    const message =
      status.message || end?.terminated.message || `It has failed: ${detail ?? printed}`
    return verdict('Degraded', message, printed, end?.terminated.finishedAt ?? null)
  }
  if (ready?.status === 'True') {
    return verdict('Healthy', 'It is ready', null, ready.lastTransitionTime ?? null)
  }
  return verdict('Progressing', `It is ${printed || 'new'}`, printed || null)
}
