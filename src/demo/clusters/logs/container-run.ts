import { ok } from '../../../lib/result.ts'
import { badRequest, type Outcome } from '../api/refusal.ts'
import type { ContainerStatus, Pod } from '../objects.ts'
import { statusOf } from '../control/pod-status.ts'

/** One run of a container from its start to its end. Each run has its own log. */
export interface ContainerRun {
  readonly id: string
  readonly image: string
  readonly isJob: boolean
  readonly startedAt: number
  readonly endedAt: number | undefined
}

type Terminated = NonNullable<NonNullable<ContainerStatus['state']>['terminated']>

/** The run that a log request is about, or the kubelet's refusal. */
export function findRun(pod: Pod, container: string, previous: boolean): Outcome<ContainerRun> {
  const subject = `container "${container}" in pod "${pod.metadata.name}"`
  const status = statusOf(pod, container)
  if (status === undefined) return badRequest(`${subject} is not available`)
  const { state = {}, lastState = {} } = status
  if (previous) {
    return lastState.terminated
      ? ok(ended(pod, status, lastState.terminated))
      : badRequest(`previous terminated ${subject} not found`)
  }
  if (state.running) {
    const startedAt = Date.parse(state.running.startedAt ?? '')
    return ok({
      ...programOf(pod, status),
      id: status.containerID ?? '',
      startedAt,
      endedAt: undefined,
    })
  }
  const last = state.terminated ?? lastState.terminated
  return last
    ? ok(ended(pod, status, last))
    : badRequest(waitingMessage(subject, state.waiting?.reason))
}

/** The present state of a run; undefined when its pod or container status is gone. */
export function currentRun(
  pod: Pod | undefined,
  container: string,
  run: ContainerRun,
): ContainerRun | undefined {
  const status = pod && statusOf(pod, container)
  if (pod === undefined || status === undefined) return undefined
  if (status.state?.running && status.containerID === run.id) return run
  const ends = [status.state?.terminated, status.lastState?.terminated]
  const own = ends.find((end) => end?.containerID === run.id)
  return own ? ended(pod, status, own) : undefined
}

const programOf = (pod: Pod, { image }: ContainerStatus) => ({
  image,
  isJob: pod.spec.restartPolicy === 'Never',
})

const ended = (pod: Pod, status: ContainerStatus, end: Terminated): ContainerRun => ({
  ...programOf(pod, status),
  id: end.containerID ?? '',
  startedAt: Date.parse(end.startedAt ?? ''),
  endedAt: Date.parse(end.finishedAt ?? ''),
})

function waitingMessage(subject: string, reason = ''): string {
  switch (reason) {
    case 'ErrImagePull':
      return `${subject} is waiting to start: image can't be pulled`
    case 'ImagePullBackOff':
      return `${subject} is waiting to start: trying and failing to pull image`
    default:
      return `${subject} is waiting to start: ${reason}`
  }
}
