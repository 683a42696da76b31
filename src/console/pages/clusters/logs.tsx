import { useEffect, useState } from 'preact/hooks'
import { urlOf } from '../../api/call.ts'
import { query, setQuery } from '../../router.ts'
import { Act } from '../../ui/act.tsx'
import { Icon } from '../../ui/icon.tsx'
import {
  downloadUrl,
  type LogChoice,
  type LoggedPod,
  logChoice,
  logUrl,
  TAILS,
} from './log-address.ts'
import { LogView } from './log-view.tsx'
import type { Place } from './place.ts'
import { runOf } from './use-again.ts'

export interface PodLogProps {
  readonly place: Place
  readonly pod: LoggedPod
}

/** The log of a container. The address says which. */
export function PodLog({ place, pod }: PodLogProps) {
  const [openedAt] = useState(() => Date.now())
  const choice = logChoice(query.value, pod, openedAt)
  useEffect(() => {
    // The container starts again while its crash is read: the address keeps the run.
    if (choice.isPrevious && !query.peek().has('previous')) {
      setQuery({ previous: 'true' }, { replace: true })
    }
  }, [])
  const { container, isFollowed } = choice
  return (
    <LogView
      name={`Log of ${container}`}
      url={container === '' ? null : logUrl(place, pod.name, choice)}
      isFollowed={isFollowed}
      run={isFollowed ? runOf(pod, container) : null}
    >
      <LogControls place={place} pod={pod} choice={choice} />
    </LogView>
  )
}

interface LogControlsProps {
  readonly place: Place
  readonly pod: LoggedPod
  readonly choice: LogChoice
}

/** Which log is read. Each choice is in the address. */
function LogControls({ place, pod, choice }: LogControlsProps) {
  const chosen = pod.containers.find(({ name }) => name === choice.container)
  const hasPrevious = (chosen?.restarts ?? 0) > 0
  return (
    <>
      <select
        aria-label="Container"
        value={choice.container}
        onChange={(event) =>
          setQuery({ container: event.currentTarget.value, previous: undefined })
        }
      >
        {pod.containers.map(({ name, init, sidecar }) => (
          <option key={name} value={name}>
            {name}
            {sidecar ? ' (sidecar)' : init ? ' (init)' : ''}
          </option>
        ))}
      </select>
      <select
        aria-label="Run"
        value={choice.isPrevious ? 'previous' : 'present'}
        onChange={(event) =>
          setQuery({ previous: String(event.currentTarget.value === 'previous') })
        }
      >
        <option value="present">this run</option>
        <option value="previous" disabled={!hasPrevious && !choice.isPrevious}>
          {hasPrevious ? 'the run before' : 'no run before'}
        </option>
      </select>
      <select
        aria-label="Lines"
        value={choice.tail}
        onChange={(event) => setQuery({ tail: event.currentTarget.value })}
      >
        {TAILS.map((tail) => (
          <option key={tail} value={tail}>
            last {Number(tail).toLocaleString('en')} lines
          </option>
        ))}
      </select>
      <Act
        isPressed={choice.isFollowed}
        reason={choice.isPrevious ? 'The run before has ended; nothing follows' : undefined}
        onClick={() => setQuery({ follow: choice.isFollowed ? 'false' : undefined })}
      >
        Follow
      </Act>
      <a
        class="button icon"
        href={downloadUrl(place, pod.name, choice)}
        download={`${pod.name}-${choice.container}.log`}
        aria-label="Download the whole log"
        title="Download the whole log"
      >
        <Icon name="download" />
      </a>
    </>
  )
}

const LOG = '/api/v1/clusters/{clusterId}/namespaces/{namespace}/workloads/{kind}/{name}/log'
const TAIL_LINES = 1_000

interface WorkloadLogProps {
  readonly place: Place
  readonly kind: string
  readonly name: string
}

/** The log of all pods, once somebody asks for it: each container that is followed holds a stream of the cluster. */
export function WorkloadLog({ place, kind, name }: WorkloadLogProps) {
  if (!query.value.has('log')) {
    return <Act onClick={() => setQuery({ log: 'all' })}>Show the log of all pods</Act>
  }
  const isFollowed = query.value.get('follow') !== 'false'
  const params = { clusterId: place.cluster, namespace: place.namespace, kind, name }
  const url = urlOf(LOG, {
    params,
    query: { tailLines: TAIL_LINES, ...(isFollowed && { follow: true }) },
  })
  return (
    <LogView name={`Log of ${name}`} url={url} isFollowed={isFollowed} run={null}>
      <Act
        isPressed={isFollowed}
        onClick={() => setQuery({ follow: isFollowed ? 'false' : undefined })}
      >
        Follow
      </Act>
    </LogView>
  )
}
