import type {
  KubernetesContainerState,
  KubernetesContainerStatus,
} from '../../ports/kubernetes-objects.ts'

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
