import { type ContainerStatus, type Pod, timestamp } from '../objects.ts'
import { hex } from './hash.ts'

/** Container statuses as a kubelet reports them, with the members that Go always writes. */

type State = NonNullable<ContainerStatus['state']>

/** A kubelet's back-off doubles with each failure, up to the maximum. */
const BACKOFF_SECONDS = 10
const BACKOFF_SECONDS_MAX = 300

export const backoffSeconds = (failures: number): number =>
  Math.min(BACKOFF_SECONDS * 2 ** failures, BACKOFF_SECONDS_MAX)

/** Formats seconds as Go formats a duration: `10s`, `2m40s`. */
const goDuration = (seconds: number): string =>
  seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`

const idOf = (pod: Pod, container: string, run: number) =>
  `containerd://${hex(`${pod.metadata.uid}/${container}/${run}`)}`

const imageId = (image: string): string => {
  const [tagged = ''] = image.split('@')
  return `${tagged.replace(/:[^:/]*$/, '')}@sha256:${hex(tagged)}`
}

/** The first status of a container. */
export const waiting = (name: string, image: string, reason: string): ContainerStatus => ({
  name,
  image,
  imageID: '',
  lastState: {},
  ready: false,
  restartCount: 0,
  started: false,
  state: { waiting: { reason } },
})

export const running = (
  pod: Pod,
  { name, image, restartCount }: ContainerStatus,
  now: number,
): Partial<ContainerStatus> => ({
  state: { running: { startedAt: timestamp(now) } },
  started: true,
  imageID: imageId(image),
  containerID: idOf(pod, name, restartCount),
})

/** The status after a restart. */
export function restarted(
  pod: Pod,
  status: ContainerStatus,
  now: number,
): Partial<ContainerStatus> {
  const { state = {}, lastState = {}, restartCount } = status
  return {
    ...running(pod, { ...status, restartCount: restartCount + 1 }, now),
    lastState: state.terminated ? state : lastState,
    restartCount: restartCount + 1,
  }
}

export function terminated(
  { containerID = '', state }: ContainerStatus,
  { exitCode, reason }: { readonly exitCode: number; readonly reason: string },
  now: number,
): Partial<ContainerStatus> {
  const ended: State = {
    terminated: {
      exitCode,
      reason,
      startedAt: state?.running?.startedAt ?? null,
      finishedAt: timestamp(now),
      containerID,
    },
  }
  return { state: ended, ready: false, started: false }
}

export function crashLoop(
  pod: Pod,
  { name, state = {} }: ContainerStatus,
  seconds: number,
): Partial<ContainerStatus> {
  const { namespace, name: podName, uid } = pod.metadata
  const who = `container=${name} pod=${podName}_${namespace}(${uid})`
  return {
    state: {
      waiting: {
        reason: 'CrashLoopBackOff',
        message: `back-off ${goDuration(seconds)} restarting failed ${who}`,
      },
    },
    lastState: state,
  }
}

export const pullError = (image: string): string =>
  `rpc error: code = NotFound desc = failed to pull and unpack image "${image}": failed to resolve reference "${image}": ${image}: not found`
