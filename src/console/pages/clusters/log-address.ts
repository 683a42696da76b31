import { urlOf } from '../../api/call.ts'
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

/** The container of the address, if the pod has it; else the one that fails, or the first that is neither init nor sidecar. */
export function logChoice(query: URLSearchParams, containers: Containers): LogChoice {
  const named = containers.find(({ name }) => name === query.get('container'))
  const isMain = ({ init, sidecar }: Containers[number]) => !init && !sidecar
  const isFailing = ({ state, reason }: Containers[number]) =>
    state === 'waiting' && reason === 'CrashLoopBackOff'
  const found = named ?? containers.find(isFailing) ?? containers.find(isMain) ?? containers[0]
  const tail = query.get('tail') ?? TAIL_AT_FIRST
  // What is waiting to start again has nothing to say; the run that crashed has.
  const hasCrashed = found !== undefined && isFailing(found) && found.restarts > 0
  const isPrevious = (query.get('previous') ?? String(hasCrashed)) === 'true'
  return {
    container: found?.name ?? '',
    isPrevious,
    tail: TAILS.some((each) => each === tail) ? tail : TAIL_AT_FIRST,
    isFollowed: !isPrevious && query.get('follow') !== 'false',
  }
}

const LOG = '/api/v1/clusters/{clusterId}/namespaces/{namespace}/pods/{name}/log'

const paramsOf = ({ cluster, namespace }: Place, pod: string) => ({
  clusterId: cluster,
  namespace,
  name: pod,
})

export const logUrl = (place: Place, pod: string, choice: LogChoice): string =>
  urlOf(LOG, {
    params: paramsOf(place, pod),
    query: {
      container: choice.container,
      tailLines: choice.tail,
      ...(choice.isPrevious && { previous: true }),
      ...(choice.isFollowed && { follow: true }),
    },
  })

/** The whole log, unchanged. */
export const downloadUrl = (place: Place, pod: string, choice: LogChoice): string =>
  urlOf(LOG, {
    params: paramsOf(place, pod),
    query: { container: choice.container, ...(choice.isPrevious && { previous: true }) },
  })
