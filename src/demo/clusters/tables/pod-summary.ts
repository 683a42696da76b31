import type { ContainerStatus, Pod } from '../objects.ts'

/** READY, STATUS and RESTARTS of a pod: `printPod` of Kubernetes' `pkg/printers`, as of 1.35. */
export interface PodSummary {
  readonly ready: number
  readonly total: number
  readonly status: string
  readonly restarts: number
  readonly lastRestartAt: string | undefined
}

type Terminated = NonNullable<NonNullable<ContainerStatus['state']>['terminated']>

const GATED = 'SchedulingGated'

interface Tally {
  ready: number
  restarts: number
  lastRestartAt: string | undefined
}

const newTally = (): Tally => ({ ready: 0, restarts: 0, lastRestartAt: undefined })

function add(tally: Tally, { restartCount, lastState }: ContainerStatus): void {
  tally.restarts += restartCount
  const finishedAt = lastState?.terminated?.finishedAt
  if (finishedAt != null && finishedAt > (tally.lastRestartAt ?? ''))
    tally.lastRestartAt = finishedAt
}

export function summarize(pod: Pod): PodSummary {
  const { spec } = pod
  const sidecars = new Set(
    (spec.initContainers ?? [])
      .filter((one) => one.restartPolicy === 'Always')
      .map((one) => one.name),
  )
  const total = spec.containers.length + sidecars.size
  const preparing = newTally()
  const beside = newTally()
  const stopped = visitInits(pod, sidecars, preparing, beside)
  let reason = stopped ?? ownReason(pod)
  let tally = { ...preparing }
  if (stopped === undefined || isTrue(pod, 'Initialized')) {
    tally = { ...beside, ready: preparing.ready }
    reason = visitContainers(pod, tally, reason)
  }
  return { ...tally, total, status: deletionOf(pod) ?? reason }
}

/** What the pod says of itself. */
function ownReason({ status: { reason, phase = '', conditions = [] } }: Pod): string {
  const isGated = conditions.some(
    (condition) => condition.type === 'PodScheduled' && condition.reason === GATED,
  )
  return isGated ? GATED : reason || phase
}

/** What its deletion makes of it, unless it was over before. */
function deletionOf({ metadata, status }: Pod): string | undefined {
  if (metadata.deletionTimestamp == null) return undefined
  if (status.reason === 'NodeLost') return 'Unknown'
  return status.phase === 'Succeeded' || status.phase === 'Failed' ? undefined : 'Terminating'
}

const isTrue = ({ status }: Pod, type: string): boolean =>
  status.conditions?.some((condition) => condition.type === type && condition.status === 'True') ??
  false

/** Why the pod is still being prepared, if it is. */
function visitInits(
  { spec, status }: Pod,
  sidecars: ReadonlySet<string>,
  all: Tally,
  beside: Tally,
): string | undefined {
  for (const [index, container] of (status.initContainerStatuses ?? []).entries()) {
    const { name, state, started, ready } = container
    const isSidecar = sidecars.has(name)
    add(all, container)
    if (isSidecar) add(beside, container)
    if (state?.terminated?.exitCode === 0) continue
    if (isSidecar && started === true) {
      if (ready) all.ready += 1
      continue
    }
    if (state?.terminated) return `Init:${endOf(state.terminated)}`
    const waiting = state?.waiting?.reason ?? ''
    if (waiting !== '' && waiting !== 'PodInitializing') return `Init:${waiting}`
    return `Init:${index}/${spec.initContainers?.length ?? 0}`
  }
  return undefined
}

/** From the last container to the first: what the first one says counts, and `before` if none says anything. */
function visitContainers(pod: Pod, tally: Tally, before: string): string {
  let reason = before
  let failure: string | undefined
  let isRunning = false
  for (const container of (pod.status.containerStatuses ?? []).toReversed()) {
    const { state, ready } = container
    add(tally, container)
    if (state?.waiting?.reason) reason = state.waiting.reason
    else if (state?.terminated) {
      reason = endOf(state.terminated)
      if (state.terminated.exitCode !== 0) failure = reason
    } else if (ready && state?.running) {
      isRunning = true
      tally.ready += 1
    }
  }
  if (reason !== 'Completed') return reason
  if (isRunning && isTrue(pod, 'Ready')) return 'Running'
  return failure ?? (isRunning ? 'NotReady' : reason)
}

function endOf({ reason, signal, exitCode }: Terminated): string {
  if (reason) return reason
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode}`
}
