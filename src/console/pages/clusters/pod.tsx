import { useRef } from 'preact/hooks'
import { type List, useList } from '../../api/lists.ts'
import type { Pod } from '../../api/live/events.ts'
import { useResource } from '../../api/resource.ts'
import { Copy } from '../../ui/copy.tsx'
import { Card, Chip } from '../../ui/card.tsx'
import { AnswerState } from '../../ui/parts.tsx'
import type { PageProps } from '../page-props.ts'
import { Events } from './events.tsx'
import { PodLog } from './logs.tsx'
import { NotShown, PodGone } from './not-shown.tsx'
import { PlaceHead } from './place-head.tsx'
import type { Place } from './place.ts'
import { Containers, LastEnd, PodFacts } from './pod-facts.tsx'
import { clusterWords, podSentence, podWord } from './pod-words.ts'

/** A pod as it is now, its events and its logs. */
export default function PodPage({ parameters }: PageProps<'pod'>) {
  const { cluster, namespace, pod: name } = parameters
  const place = { cluster, namespace }
  const list = useList('pods', place)
  const { value: pods, problem, isLive } = list
  const pod = pods?.find((each) => each.name === name)
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
        <Trouble place={place} list={list} />
        {pod !== undefined && <PodParts place={place} pod={pod} />}
        {pods !== undefined && pod === undefined && (
          <PodGone place={place} name={name} owner={known.current?.owner ?? null} pods={pods} />
        )}
      </div>
    </>
  )
}

interface TroubleProps {
  readonly place: Place
  readonly list: List<Pod>
}

const Trouble = ({ place, list }: TroubleProps) =>
  list.problem !== undefined && list.value === undefined ? (
    <NotShown place={place} problem={list.problem} />
  ) : (
    <AnswerState answer={list}>Loading the pod…</AnswerState>
  )

interface PodPartsProps {
  readonly place: Place
  readonly pod: Pod
}

const PodParts = ({ place, pod }: PodPartsProps) => (
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
      <PodEvents
        place={place}
        pod={pod.name}
        version={`${pod.uid} ${pod.status} ${pod.restarts} ${pod.ready.ready}`}
      />
    </Card>
  </>
)

interface PodEventsProps {
  readonly place: Place
  readonly pod: string
  /** The events are asked for again when it changes. */
  readonly version: string
}

/** Events of a pod. */
function PodEvents({ place, pod, version }: PodEventsProps) {
  const list = useResource(
    '/api/v1/clusters/{clusterId}/namespaces/{namespace}/pods/{name}/events',
    { params: { clusterId: place.cluster, namespace: place.namespace, name: pod }, version },
  )
  return (
    <>
      <AnswerState answer={list}>Loading the events…</AnswerState>
      {list.value !== undefined && <Events events={list.value} />}
    </>
  )
}
