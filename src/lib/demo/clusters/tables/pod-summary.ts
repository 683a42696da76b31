import type { ContainerStatus, Pod } from '../objects.ts'

/** READY, STATUS and RESTARTS of a pod, by the rules of the API server's own printer. */
export interface PodSummary {
  readonly ready: number
  readonly total: number
  readonly status: string
  readonly restarts: number
  readonly lastRestartAt: string | undefined
}

type Terminated = NonNullable<NonNullable<ContainerStatus['state']>['terminated']>

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
  const { spec, status, metadata } = pod
  const sidecars = new Set(
    (spec.initContainers ?? [])
      .filter((one) => one.restartPolicy === 'Always')
      .map((one) => one.name),
  )
  const total = spec.containers.length + sidecars.size
  const preparing = newTally()
  const beside = newTally()
  const stopped = visitInits(pod, sidecars, preparing, beside)
  let reason = stopped ?? status.reason ?? status.phase ?? ''

  let tally = { ...preparing }
  if (stopped === undefined || isTrue(pod, 'Initialized')) {
    tally = { ...beside, ready: preparing.ready }
    reason = visitContainers(pod, tally) ?? reason
  }
  if (metadata.deletionTimestamp != null && !['Succeeded', 'Failed'].includes(status.phase ?? '')) {
    reason = status.reason === 'NodeLost' ? 'Unknown' : 'Terminating'
  }
  const { ready, restarts, lastRestartAt } = tally
  return { ready, total, status: reason, restarts, lastRestartAt }
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

/** From the last container to the first: what the first one says counts. */
function visitContainers(pod: Pod, tally: Tally): string | undefined {
  let reason: string | undefined
  let isRunning = false
  for (const container of (pod.status.containerStatuses ?? []).toReversed()) {
    const { state, ready } = container
    add(tally, container)
    if (state?.waiting?.reason) reason = state.waiting.reason
    else if (state?.terminated) reason = endOf(state.terminated)
    else if (ready && state?.running) {
      isRunning = true
      tally.ready += 1
    }
  }
  if (reason !== 'Completed' || !isRunning) return reason
  return isTrue(pod, 'Ready') ? 'Running' : 'NotReady'
}

function endOf({ reason, signal, exitCode }: Terminated): string {
  if (reason) return reason
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode}`
}
