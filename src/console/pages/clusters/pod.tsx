import { useRef } from 'preact/hooks'
import { useList } from '../../api/lists.ts'
import type { Pod } from '../../api/live/events.ts'
import { useResource } from '../../api/resource.ts'
import type { PageProps } from '../../paths.ts'
import { Card, Chip, Fact } from '../../ui/card.tsx'
import { Copy } from '../../ui/copy.tsx'
import { AnswerState, Status } from '../../ui/parts.tsx'
import { Since, Time } from '../../ui/time.tsx'
import { counted } from '../../ui/words.ts'
import { Events } from './events.tsx'
import { PodLog } from './logs.tsx'
import { NotShown, PodGone } from './not-shown.tsx'
import { PlaceHead } from './place-head.tsx'
import { type Place, workloadPath } from './place.ts'
import { clusterWords, containerNote, containerWord, podSentence, podWord } from './pod-words.ts'

/** A pod as it is now, its events and its logs. */
export default function PodPage({ parameters }: PageProps<'pod'>) {
  const { cluster, namespace, pod: name } = parameters
  const place = { cluster, namespace }
  const list = useList('pods', { ...place, name })
  const { value: pods, problem, isLive } = list
  const [pod] = pods ?? []
  /** As it was before it went. */
  const known = useRef<Pod | undefined>(undefined)
  if (pod !== undefined) known.current = pod
  return (
    <>
      <PlaceHead
        place={place}
        title={name}
        isLive={problem === undefined ? isLive : undefined}
        beside={
          <>
            <Copy text={name} name="the name of the pod" />
            {pod !== undefined && <Chip of={podWord(pod)} />}
          </>
        }
      />
      <div class="stack">
        {problem !== undefined && pods === undefined ? (
          <NotShown place={place} problem={problem} />
        ) : (
          <AnswerState answer={list}>Loading the pod…</AnswerState>
        )}
        {pod !== undefined && <PodParts place={place} pod={pod} />}
        {pods !== undefined && pod === undefined && (
          <PodGone place={place} name={name} last={known.current} />
        )}
      </div>
    </>
  )
}

interface PodProps {
  readonly place: Place
  readonly pod: Pod
}

const PodParts = ({ place, pod }: PodProps) => (
  <>
    <div class="pod-sentence">
      <p>
        {podSentence(pod)} <LastEnd pod={pod} />
      </p>
      <p>
        <bdi>{clusterWords(pod)}</bdi>
      </p>
    </div>
    <Card id="containers" title="Containers">
      <Containers pod={pod} />
      <PodFacts place={place} pod={pod} />
    </Card>
    <Card id="log" title="Log">
      <PodLog place={place} pod={pod} />
    </Card>
    <Card id="events" title="Events">
      <PodEvents place={place} pod={pod} />
    </Card>
  </>
)

/** Events of a pod, asked for again when it changes. */
function PodEvents({ place, pod }: PodProps) {
  const { uid, name, status, restarts, ready } = pod
  const list = useResource(
    '/api/v1/clusters/{clusterId}/namespaces/{namespace}/pods/{name}/events',
    {
      params: { clusterId: place.cluster, namespace: place.namespace, name },
      version: `${uid} ${status} ${restarts} ${ready.ready}`,
    },
  )
  return (
    <>
      <AnswerState answer={list}>Loading the events…</AnswerState>
      {list.value !== undefined && <Events events={list.value} />}
    </>
  )
}

/** `payments-api ended with OOMKilled (exit code 137) 3 min ago.` */
function LastEnd({ pod }: { readonly pod: Pod }) {
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

const PodFacts = ({ place, pod }: PodProps) => (
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
const Containers = ({ pod }: { readonly pod: Pod }) => (
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
      {last.finishedAt !== null && <Since at={last.finishedAt} />}
    </p>
  )
}

const Note = ({ text }: { readonly text: string | null }) =>
  text === null ? null : (
    <p>
      <bdi>{text}</bdi>
    </p>
  )
