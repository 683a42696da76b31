import type { AnswerOf } from '../../api/call.ts'
import { Icon } from '../../ui/icon.tsx'
import { Empty } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'

const OF_PODS = '/api/v1/clusters/{clusterId}/namespaces/{namespace}/pods/{name}/events'
const OF_DEPLOYMENTS =
  '/api/v1/clusters/{clusterId}/namespaces/{namespace}/deployments/{name}/events'

type ClusterEvent = AnswerOf<'get', typeof OF_PODS>[number] &
  Partial<Pick<AnswerOf<'get', typeof OF_DEPLOYMENTS>[number], 'object'>>

/** Events of Kubernetes, newest first. */
export const Events = ({ events }: { readonly events: readonly ClusterEvent[] }) =>
  events.length === 0 ? (
    <Empty title="Nothing has happened lately">
      <p>Kubernetes forgets events after an hour.</p>
    </Empty>
  ) : (
    <ol class="events">
      {events.toSorted(newestFirst).map((event) => (
        <Event
          key={`${event.object?.name} ${event.reason} ${event.firstSeenAt} ${event.message}`}
          event={event}
        />
      ))}
    </ol>
  )

const newestFirst = (one: ClusterEvent, other: ClusterEvent): number =>
  Date.parse(other.lastSeenAt ?? '') - Date.parse(one.lastSeenAt ?? '')

function Event({ event }: { readonly event: ClusterEvent }) {
  const { type, reason, message, object, container, source, count, lastSeenAt } = event
  const isWarning = type === 'Warning'
  const about = [object?.name, container, source, count > 1 ? `${count} times` : null]
  return (
    <li data-tone={isWarning ? 'warn' : 'idle'}>
      <Icon name={isWarning ? 'warn' : 'circle'} />
      <p>
        <b>{reason}</b>
        {isWarning && <span class="sr"> (warning)</span>} <bdi>{message}</bdi>
        <small>{about.filter((each) => typeof each === 'string').join(' · ')}</small>
      </p>
      {lastSeenAt !== null && <Time at={lastSeenAt} />}
    </li>
  )
}
