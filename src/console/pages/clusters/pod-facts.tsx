import type { Pod } from '../../api/live/events.ts'
import { Copy } from '../../ui/copy.tsx'
import { Fact } from '../../ui/card.tsx'
import { Status } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { counted } from '../../ui/words.ts'
import { containerNote, containerWord } from './container-words.ts'
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
    <Fact label="Ready">
      {pod.ready.ready} of {pod.ready.total}
    </Fact>
    <Fact label="Restarts">{pod.restarts}</Fact>
    <Fact label="Created">
      <Time at={pod.createdAt} />
    </Fact>
    <Fact label="Belongs to">
      <Owner place={place} owner={pod.owner} />
    </Fact>
    <Fact label="Node">{pod.node ?? 'none yet'}</Fact>
    <Fact label="IP address">{pod.podIP === null ? 'none yet' : <code>{pod.podIP}</code>}</Fact>
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

/** The containers of a pod in the order of their start. */
export const Containers = ({ pod }: { readonly pod: Pod }) => (
  <ul class="containers">
    {pod.containers.map((container) => (
      <li key={container.name}>
        <b>{container.name}</b>
        <Role of={container} />
        <Status of={containerWord(container)} />
        {container.restarts > 0 && <span>{counted(container.restarts, 'restart')}</span>}
        {container.image !== null && (
          <span class="containers-image">
            <code title={container.digest ?? undefined}>{container.image}</code>
            <Copy text={container.image} name={`the image of ${container.name}`} />
          </span>
        )}
        <Note text={containerNote(container)} />
        <LastRun of={container} />
      </li>
    ))}
  </ul>
)

type Container = Pod['containers'][number]

function Role({ of: { init, sidecar, ephemeral } }: { readonly of: Container }) {
  const role = sidecar ? 'sidecar' : init ? 'init' : ephemeral ? 'ephemeral' : null
  return role === null ? null : <span class="tag">{role}</span>
}

function LastRun({ of: { lastTermination: last } }: { readonly of: Container }) {
  if (last === null) return null
  return (
    <p class="muted">
      The run before: {last.reason ?? 'an error'}, exit code {last.exitCode}{' '}
      {last.finishedAt !== null && <Time at={last.finishedAt} />}
    </p>
  )
}

const Note = ({ text }: { readonly text: string | null }) =>
  text === null ? null : (
    <p>
      <bdi>{text}</bdi>
    </p>
  )
