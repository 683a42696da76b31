import { useRef } from 'preact/hooks'
import type { PageProps } from '../page-props.ts'
import type { Problem } from '../../api/result.ts'
import { type Pod, useWatched, type Watched } from '../../api/watched.ts'
import { PATHS, pathOf } from '../../paths.ts'
import { Copy } from '../../ui/copy.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Card, Chip, Loading, ProblemNote } from '../../ui/parts.tsx'
import { useClusterName } from './cluster-name.ts'
import { Containers } from './containers.tsx'
import { LiveMark } from './live-mark.tsx'
import type { Place } from './place.ts'
import { PodEvents } from './pod-events.tsx'
import { LastEnd, PodFacts } from './pod-facts.tsx'
import { PodGone } from './pod-gone.tsx'
import { PodLog } from './pod-log.tsx'
import { clusterWords, podSentence, podWord } from './pod-words.ts'
import { NoAnswer, Refused } from './refused.tsx'

/** A pod as it is now, its events and its logs. */
export default function PodPage({ parameters }: PageProps<'pod'>) {
  const { cluster, namespace, pod: name } = parameters
  const place = { cluster, namespace }
  const list = useWatched('pods', place)
  const { items, problem, isLive } = list
  const clusterName = useClusterName(cluster)
  const pod = items?.find((each) => each.name === name)
  /** As it was before it went. */
  const known = useRef<Pod | undefined>(undefined)
  if (pod !== undefined) known.current = pod
  return (
    <>
      <PageHead
        title={name}
        crumbs={[
          { label: 'Clusters', href: PATHS.clusters },
          { label: clusterName, href: PATHS.clusters },
          { label: namespace, href: pathOf('namespace', place) },
        ]}
        beside={
          <>
            <Copy text={name} name="the name of the pod" />
            {pod !== undefined && <Chip of={podWord(pod)} />}
          </>
        }
      >
        {problem === undefined && <LiveMark isLive={isLive} />}
      </PageHead>
      <div class="stack">
        {problem !== undefined && <Trouble place={place} list={list} problem={problem} />}
        {items === undefined && problem === undefined && <Loading>Loading the pod…</Loading>}
        {pod !== undefined && <PodParts place={place} pod={pod} />}
        {items !== undefined && pod === undefined && (
          <PodGone place={place} name={name} owner={known.current?.owner ?? null} pods={items} />
        )}
      </div>
    </>
  )
}

interface TroubleProps {
  readonly place: Place
  readonly list: Watched<Pod>
  readonly problem: Problem
}

function Trouble({ place, list, problem }: TroubleProps) {
  if (list.isRefused) return <Refused place={place} problem={problem} />
  if (list.items === undefined) return <NoAnswer problem={problem} />
  return <ProblemNote problem={problem} isStale />
}

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
