import type {
  KubernetesContainerState,
  KubernetesContainerStatus,
} from '../../ports/kubernetes-objects.ts'

/** What a container's state says. The API server omits Go's zero values: what is missing is 0, empty or false. */

type Terminated = NonNullable<KubernetesContainerState['terminated']>

/** Why it ended, as kubectl says it. */
export const endReasonOf = ({ reason = '', signal = 0, exitCode = 0 }: Terminated): string =>
  reason || (signal === 0 ? `ExitCode:${exitCode}` : `Signal:${signal}`)

/** Why it waits, or why it ended. */
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

/** How the run before this one ended. */
export const lastEndingOf = ({ name, lastState }: KubernetesContainerStatus): readonly Ending[] =>
  lastState?.terminated === undefined ? [] : [{ container: name, terminated: lastState.terminated }]

/** The latest. Where Kubernetes lost a container it does not know when: then any other is later. */
export function latestOf(endings: readonly Ending[]): Ending | undefined {
  let [latest] = endings
  for (const ending of endings) {
    if (latest === undefined || finishedMs(ending) > finishedMs(latest)) latest = ending
  }
  return latest
}

const finishedMs = ({ terminated }: Ending): number => {
  const ms = Date.parse(terminated.finishedAt ?? '')
  return Number.isNaN(ms) ? -Infinity : ms
}
