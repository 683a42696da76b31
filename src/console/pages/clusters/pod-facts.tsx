import type { Pod } from '../../api/live/events.ts'
import { Time } from '../../ui/time.tsx'
import { type Place, workloadPath } from './place.ts'

export interface PodFactsProps {
  readonly place: Place
  readonly pod: Pod
}

/** `payments-api ended with OOMKilled (exit code 137) 3 min ago.` */
export function LastEnd({ pod }: { readonly pod: Pod }) {
  const { lastTermination } = pod
  if (lastTermination === null || lastTermination.reason === 'Completed') return null
  const { container, reason, exitCode, finishedAt } = lastTermination
  return (
    <>
      The last run of {container} ended with {reason ?? 'an error'} (exit code {exitCode})
      {finishedAt !== null && (
        <>
          {' '}
          <Time at={finishedAt} />
        </>
      )}
      .
    </>
  )
}

export const PodFacts = ({ place, pod }: PodFactsProps) => (
  <dl class="facts pod-facts">
    <div>
      <dt>Ready</dt>
      <dd>
        {pod.ready.ready} of {pod.ready.total}
      </dd>
    </div>
    <div>
      <dt>Restarts</dt>
      <dd>{pod.restarts}</dd>
    </div>
    <div>
      <dt>Created</dt>
      <dd>
        <Time at={pod.createdAt} />
      </dd>
    </div>
    <div>
      <dt>Belongs to</dt>
      <dd>
        <Owner place={place} owner={pod.owner} />
      </dd>
    </div>
    <div>
      <dt>Node</dt>
      <dd>{pod.node ?? 'none yet'}</dd>
    </div>
    <div>
      <dt>IP address</dt>
      <dd>{pod.podIP === null ? 'none yet' : <code>{pod.podIP}</code>}</dd>
    </div>
  </dl>
)

function Owner({ place, owner }: { readonly place: Place; readonly owner: Pod['owner'] }) {
  if (owner === null) return <>Nothing: it will not be replaced</>
  return (
    <span>
      {owner.kind} <a href={workloadPath(place, owner)}>{owner.name}</a>
    </span>
  )
}
