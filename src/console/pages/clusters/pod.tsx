import { useRef } from 'preact/hooks'
import type { PageProps } from '../page-props.ts'
import type { Problem } from '../../api/result.ts'
import { type Pod, useWatched, type Watched } from '../../api/watched.ts'
import { PATHS, pathOf } from '../../paths.ts'
import { Copy } from '../../ui/copy.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Card, Chip, Empty, Loading, ProblemNote } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { useClusterName } from './cluster-name.ts'
import { Containers } from './containers.tsx'
import { LiveMark } from './live-mark.tsx'
import type { Place } from './place.ts'
import { PodEvents } from './pod-events.tsx'
import { PodLog } from './pod-log.tsx'
import { clusterWords, podSentence, podWord, siblingsOf } from './pod-words.ts'
import { PodsTable } from './pods-table.tsx'
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
          <Gone place={place} name={name} owner={known.current?.owner ?? null} pods={items} />
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
      <Facts place={place} pod={pod} />
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

const Facts = ({ place, pod }: PodPartsProps) => (
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

/** Leads to the owner's deployment and pods. */
function Owner({ place, owner }: { readonly place: Place; readonly owner: Pod['owner'] }) {
  if (owner === null) return <>Nothing: it will not be replaced</>
  return (
    <span>
      {owner.kind} <a href={pathOf('namespace', place, { q: owner.name })}>{owner.name}</a>
    </span>
  )
}

interface GoneProps {
  readonly place: Place
  readonly name: string
  readonly owner: Pod['owner']
  readonly pods: readonly Pod[]
}

function Gone({ place, name, owner, pods }: GoneProps) {
  const siblings = siblingsOf(pods, name, owner)
  return (
    <>
      <Empty title="This pod is gone">
        <p>
          Kubernetes removed it: a rollout replaced it, or somebody deleted it. Its log went with
          it.
        </p>
        <a class="button" href={pathOf('namespace', place)}>
          All pods of {place.namespace}
        </a>
      </Empty>
      {siblings.length > 0 && (
        <Card id="siblings" title="In its place">
          <PodsTable place={place} pods={siblings} />
        </Card>
      )}
    </>
  )
}
