import { useEffect } from 'preact/hooks'
import type { AnswerOf } from '../../api/call.ts'
import { useResource } from '../../api/resource.ts'
import { Icon } from '../../ui/icon.tsx'
import { Empty, Loading, ProblemNote } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import type { Place } from './place.ts'

type PodEvent = AnswerOf<
  'get',
  '/api/v1/clusters/{clusterId}/namespaces/{namespace}/pods/{name}/events'
>[number]

export interface PodEventsProps {
  readonly place: Place
  readonly pod: string
  /** The events are asked for again when it changes. */
  readonly version: string
}

/** Events of a pod, newest first. */
export function PodEvents({ place, pod, version }: PodEventsProps) {
  const { value, problem, reload } = useResource(
    '/api/v1/clusters/{clusterId}/namespaces/{namespace}/pods/{name}/events',
    { params: { clusterId: place.cluster, namespace: place.namespace, name: pod } },
  )
  useEffect(() => void reload(), [version])
  return (
    <>
      {problem !== undefined && (
        <ProblemNote problem={problem} retry={reload} isStale={value !== undefined} />
      )}
      {value === undefined && problem === undefined && <Loading>Loading its events…</Loading>}
      {value?.length === 0 && (
        <Empty title="Nothing has happened lately">
          <p>Kubernetes forgets events after an hour.</p>
        </Empty>
      )}
      <ol class="events">
        {value?.toSorted(newestFirst).map((event) => (
          <Event key={`${event.reason} ${event.firstSeenAt} ${event.message}`} event={event} />
        ))}
      </ol>
    </>
  )
}

const newestFirst = (one: PodEvent, other: PodEvent): number =>
  Date.parse(other.lastSeenAt ?? '') - Date.parse(one.lastSeenAt ?? '')

const Event = ({ event }: { readonly event: PodEvent }) => (
  <li data-tone={event.type === 'Warning' ? 'warn' : 'idle'}>
    <Icon name={event.type === 'Warning' ? 'warn' : 'circle'} />
    <p>
      <b>{event.reason}</b>
      {event.type === 'Warning' && <span class="sr"> (warning)</span>} {event.message}
      <small>
        {[event.container, event.source, event.count > 1 ? `${event.count} times` : null]
          .filter((each) => each !== null)
          .join(' · ')}
      </small>
    </p>
    {event.lastSeenAt !== null && <Time at={event.lastSeenAt} />}
  </li>
)
