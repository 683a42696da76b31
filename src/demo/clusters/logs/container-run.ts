import { ok } from '../../../lib/result.ts'
import { badRequest, type Outcome } from '../api/refusal.ts'
import type { ContainerStatus, Pod } from '../objects.ts'
import { statusOf } from '../control/pod-status.ts'

/** From the start of a container to its end: what one log is about. */
export interface ContainerRun {
  readonly id: string
  readonly image: string
  readonly isJob: boolean
  readonly startedAt: number
  readonly endedAt: number | undefined
}

type Terminated = NonNullable<NonNullable<ContainerStatus['state']>['terminated']>

/** Which run is meant, or why there is none, in the words of the kubelet. */
export function findRun(pod: Pod, container: string, previous: boolean): Outcome<ContainerRun> {
  const where = `container "${container}" in pod "${pod.metadata.name}"`
  const status = statusOf(pod, container)
  if (status === undefined) return badRequest(`${where} is not available`)
  const { state = {}, lastState = {} } = status
  if (previous) {
    return lastState.terminated
      ? ok(ended(pod, status, lastState.terminated))
      : badRequest(`previous terminated ${where} not found`)
  }
  if (state.running) {
    const startedAt = Date.parse(state.running.startedAt ?? '')
    return ok({
      ...facts(pod, status),
      id: status.containerID ?? '',
      startedAt,
      endedAt: undefined,
    })
  }
  const last = state.terminated ?? lastState.terminated
  return last ? ok(ended(pod, status, last)) : badRequest(waiting(where, state.waiting?.reason))
}

/** What has become of a run that was going on: `gone` is one whose pod was taken away. */
export function currentRun(
  pod: Pod | undefined,
  container: string,
  run: ContainerRun,
): ContainerRun | 'gone' {
  const status = pod && statusOf(pod, container)
  if (pod === undefined || status === undefined) return 'gone'
  if (status.state?.running && status.containerID === run.id) return run
  const ends = [status.state?.terminated, status.lastState?.terminated]
  const own = ends.find((end) => end?.containerID === run.id)
  return own ? ended(pod, status, own) : 'gone'
}

const facts = (pod: Pod, { image }: ContainerStatus) => ({
  image,
  isJob: pod.spec.restartPolicy === 'Never',
})

const ended = (pod: Pod, status: ContainerStatus, end: Terminated): ContainerRun => ({
  ...facts(pod, status),
  id: end.containerID ?? '',
  startedAt: Date.parse(end.startedAt ?? ''),
  endedAt: Date.parse(end.finishedAt ?? ''),
})

function waiting(where: string, reason = ''): string {
  switch (reason) {
    case 'ErrImagePull':
      return `${where} is waiting to start: image can't be pulled`
    case 'ImagePullBackOff':
      return `${where} is waiting to start: trying and failing to pull image`
    default:
      return `${where} is waiting to start: ${reason}`
  }
}
