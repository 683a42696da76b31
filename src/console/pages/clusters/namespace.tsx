import type { PageProps } from '../page-props.ts'
import { useResource } from '../../api/resource.ts'
import type { Problem } from '../../api/result.ts'
import {
  type Deployment,
  type Pod,
  useWatched,
  type Watched,
  type Workload,
} from '../../api/watched.ts'
import { PATHS } from '../../paths.ts'
import { query, setQuery, typeQuery } from '../../router.ts'
import { AnswerState } from '../../ui/answer-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Card, Empty } from '../../ui/parts.tsx'
import { counted } from '../../ui/words.ts'
import { useClusterName } from './cluster-name.ts'
import { DeploymentsTable } from './deployments-table.tsx'
import { LiveMark } from './live-mark.tsx'
import type { NamespaceRights, Place } from './place.ts'
import { isTrouble, podMatches, podsInOrder, wordsOf } from './pod-words.ts'
import { PodsTable } from './pods-table.tsx'
import { NoAnswer, Refused } from './refused.tsx'
import { WorkloadsTable } from './workloads-table.tsx'

/** The deployments and pods of a namespace, as they are now. */
export default function Namespace({ parameters }: PageProps<'namespace'>) {
  const { cluster, namespace } = parameters
  const place = { cluster, namespace }
  const rights = useResource('/api/v1/clusters/{clusterId}/namespaces', {
    params: { clusterId: cluster },
  })
  const own = rights.value?.find(({ name }) => name === namespace)
  const deployments = useWatched('deployments', place)
  const workloads = useWatched('workloads', place)
  const pods = useWatched('pods', place)
  const clusterName = useClusterName(cluster)
  const problem = sharedProblem(deployments, pods)
  return (
    <>
      <PageHead
        title={namespace}
        crumbs={[
          { label: 'Clusters', href: PATHS.clusters },
          { label: clusterName, href: PATHS.clusters },
        ]}
        beside={
          <span class="muted">
            {[own?.environment, own?.team].filter((each) => typeof each === 'string').join(' · ')}
          </span>
        }
      >
        {problem === undefined && <LiveMark isLive={pods.isLive && deployments.isLive} />}
      </PageHead>
      {problem === undefined ? (
        <>
          <SearchBox />
          <div class="stack">
            <Deployments
              place={place}
              rights={own}
              list={deployments}
              workloads={workloads.items ?? []}
            />
            <Others place={place} list={workloads} />
            {isKnown(workloads) && <Pods place={place} list={pods} />}
          </div>
        </>
      ) : pods.isRefused ? (
        <Refused place={place} problem={problem} />
      ) : (
        <NoAnswer problem={problem} />
      )}
    </>
  )
}

/** The problem of both lists, when there is nothing else to show. */
function sharedProblem(deployments: Watched<Deployment>, pods: Watched<Pod>): Problem | undefined {
  const isShared = deployments.problem?.code === pods.problem?.code
  const hasItems = deployments.items !== undefined || pods.items !== undefined
  return isShared && !hasItems ? pods.problem : undefined
}

const search = () => query.value.get('q') ?? ''

const SearchBox = () => (
  <search class="namespace-search">
    <div class="field">
      <Icon name="search" />
      <input
        type="search"
        aria-label="Search deployments and pods"
        placeholder="Search name, status, image, node…"
        autocomplete="off"
        spellcheck={false}
        value={search()}
        onInput={(event) => typeQuery({ q: event.currentTarget.value })}
      />
    </div>
  </search>
)

interface ListProps<Item> {
  readonly place: Place
  readonly list: Watched<Item>
}

interface DeploymentsProps extends ListProps<Deployment> {
  readonly rights: NamespaceRights | undefined
  readonly workloads: readonly Workload[]
}

function Deployments({ place, rights, list, workloads }: DeploymentsProps) {
  const words = wordsOf(search())
  const shown = list.items?.filter(({ name, status, images }) => {
    const text = [name, status, ...images].join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  })
  return (
    <Card id="deployments" title="Deployments" end={<Count shown={shown} all={list.items} />}>
      <ListState list={list} what="deployments" hasShown={shown?.length !== 0} />
      {shown !== undefined && shown.length > 0 && (
        <DeploymentsTable place={place} rights={rights} deployments={shown} workloads={workloads} />
      )}
    </Card>
  )
}

/** Cards below one that may not come wait for it, so that they do not move. */
const isKnown = ({ items, problem }: Watched<unknown>) =>
  items !== undefined || problem !== undefined

/** What is no deployment has a verdict, and no act of its own here. */
function Others({ place, list }: ListProps<Workload>) {
  const words = wordsOf(search())
  const others = list.items?.filter(({ kind }) => kind !== 'Deployment')
  const shown = others?.filter(({ name, kind, health, reason, images }) => {
    const text = [name, kind, health, reason, ...images].join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  })
  if (others === undefined || others.length === 0) return null
  return (
    <Card id="workloads" title="Other workloads" end={<Count shown={shown} all={others} />}>
      <ListState list={list} what="other workloads" hasShown={shown?.length !== 0} />
      {shown !== undefined && shown.length > 0 && (
        <WorkloadsTable place={place} workloads={shown} />
      )}
    </Card>
  )
}

function Pods({ place, list }: ListProps<Pod>) {
  const shown = list.items && podsInOrder(list.items.filter((pod) => podMatches(pod, search())))
  const troubled = shown?.filter(isTrouble).length ?? 0
  return (
    <Card
      id="pods"
      title="Pods"
      end={
        <span>
          {troubled > 0 && `${counted(troubled, 'problem')} · `}
          <Count shown={shown} all={list.items} />
        </span>
      }
    >
      <ListState list={list} what="pods" hasShown={shown?.length !== 0} />
      {shown !== undefined && shown.length > 0 && <PodsTable place={place} pods={shown} />}
    </Card>
  )
}

interface CountProps {
  readonly shown: readonly unknown[] | undefined
  readonly all: readonly unknown[] | undefined
}

const Count = ({ shown, all }: CountProps) => (
  <span class="muted" role="status">
    {shown !== undefined &&
      (shown.length === all?.length ? shown.length : `${shown.length} of ${all?.length}`)}
  </span>
)

interface ListStateProps {
  readonly list: Watched<unknown>
  readonly what: string
  /** The search leaves some. */
  readonly hasShown: boolean
}

/** Loading, failed, refused or empty, in words. */
function ListState({ list, what, hasShown }: ListStateProps) {
  const { items, problem } = list
  if (problem !== undefined || items === undefined) {
    return <AnswerState answer={{ value: items, problem }}>Loading the {what}…</AnswerState>
  }
  if (items.length === 0) return <Empty title={`There are no ${what} in this namespace`} />
  if (hasShown) return null
  return (
    <Empty title="Nothing matches">
      <button type="button" class="button" onClick={() => setQuery({ q: undefined })}>
        Show all {what}
      </button>
    </Empty>
  )
}
