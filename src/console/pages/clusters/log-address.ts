import { type Address, urlOf } from '../../api/call.ts'
import type { Pod } from '../../api/live/events.ts'
import type { Place } from './place.ts'

/** Numbers of last lines to choose from. */
export const TAILS = ['100', '500', '1000', '5000'] as const
const TAIL_AT_FIRST = '500'

/** Which log of a pod is read, by the address of the page. */
export interface LogChoice {
  readonly container: string
  /** The run before the last restart. */
  readonly isPrevious: boolean
  readonly tail: string
  readonly isFollowed: boolean
}

type Containers = Pick<Pod, 'containers'>['containers']
export type LoggedPod = Pick<Pod, 'name' | 'containers' | 'lastTermination'>

/** A crash is read before what runs since. */
const RECENT_MS = 600_000

/**
 * The container of the address, if the pod has it; else the one that fails, or the first that is neither init nor sidecar. Of one that
 * waits after a crash, or crashed within the last ten minutes before the page was opened, the run that did.
 */
export function logChoice(
  query: URLSearchParams,
  { containers, lastTermination }: Omit<LoggedPod, 'name'>,
  openedAt: number,
): LogChoice {
  const named = containers.find(({ name }) => name === query.get('container'))
  const isMain = ({ init, sidecar }: Containers[number]) => !init && !sidecar
  const isFailing = ({ state, reason }: Containers[number]) =>
    state === 'waiting' && reason === 'CrashLoopBackOff'
  const found = named ?? containers.find(isFailing) ?? containers.find(isMain) ?? containers[0]
  const tail = query.get('tail') ?? TAIL_AT_FIRST
  // A container that waits to start again has an empty log; the log of its crashed run tells why.
  const sinceEnd = openedAt - Date.parse(lastTermination?.finishedAt ?? '')
  const isRecent =
    lastTermination?.container === found?.name &&
    lastTermination?.reason !== 'Completed' &&
    sinceEnd >= 0 &&
    sinceEnd <= RECENT_MS
  const hasCrashed = found !== undefined && found.restarts > 0 && (isFailing(found) || isRecent)
  const isPrevious = (query.get('previous') ?? String(hasCrashed)) === 'true'
  return {
    container: found?.name ?? '',
    isPrevious,
    tail: TAILS.some((each) => each === tail) ? tail : TAIL_AT_FIRST,
    isFollowed: !isPrevious && query.get('follow') !== 'false',
  }
}

const addressOf = ({ cluster, namespace }: Place, name: string, query: Address['query'] = {}) =>
  urlOf('/api/v1/clusters/{clusterId}/namespaces/{namespace}/pods/{name}/log', {
    params: { clusterId: cluster, namespace, name },
    query,
  })

export const logUrl = (place: Place, pod: string, choice: LogChoice): string =>
  addressOf(place, pod, {
    container: choice.container,
    tailLines: choice.tail,
    previous: choice.isPrevious || undefined,
    follow: choice.isFollowed || undefined,
  })

/** The whole log, unchanged. */
export const downloadUrl = (place: Place, pod: string, { container, isPrevious }: LogChoice) =>
  addressOf(place, pod, { container, previous: isPrevious || undefined })
