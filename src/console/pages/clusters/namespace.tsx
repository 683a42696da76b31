import type { ComponentChildren } from 'preact'
import { type List, useList } from '../../api/lists.ts'
import type { Deployment, Pod, Workload } from '../../api/live/events.ts'
import { isAnswered, useResource } from '../../api/resource.ts'
import type { Problem } from '../../api/result.ts'
import { type PageProps, pathOf } from '../../paths.ts'
import { query, setQuery, typeQuery } from '../../router.ts'
import { Act } from '../../ui/act.tsx'
import { Card } from '../../ui/card.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { isBroken, shortMessage } from '../../ui/health.ts'
import { AnswerState, Empty, Status } from '../../ui/parts.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Age } from '../../ui/time.tsx'
import { counted } from '../../ui/words.ts'
import { shortImage } from './image.ts'
import { NotShown } from './not-shown.tsx'
import { PlaceHead } from './place-head.tsx'
import type { NamespaceRights, Place } from './place.ts'
import { hasWords, isTrouble, podMatches, podsInOrder } from './pod-words.ts'
import { PodsTable } from './pods-table.tsx'
import { RestartButton } from './restart-button.tsx'
import { isUnderWay, targetOf } from './rollout.ts'
import { WorkloadsTable } from './workloads-table.tsx'

/** The deployments and pods of a namespace, as they are now. */
export default function Namespace({ parameters }: PageProps<'namespace'>) {
  const { cluster, namespace } = parameters
  const place = { cluster, namespace }
  const rights = useResource('/api/v1/clusters/{clusterId}/namespaces', {
    params: { clusterId: cluster },
  })
  const own = rights.value?.find(({ name }) => name === namespace)
  const deployments = useList('deployments', place)
  const workloads = useList('workloads', place)
  const pods = useList('pods', place)
  const problem = sharedProblem(deployments, pods)
  return (
    <>
      <PlaceHead
        place={place}
        isLive={problem === undefined ? pods.isLive && deployments.isLive : undefined}
        beside={
          <span class="muted">
            {[own?.environment, own?.team].filter((each) => typeof each === 'string').join(' · ')}
          </span>
        }
      />
      {problem === undefined ? (
        <>
          <SearchBox />
          <div class="stack">
            <Deployments
              place={place}
              rights={own}
              list={deployments}
              workloads={workloads.value ?? []}
            />
            <Others place={place} list={workloads} />
            {/* Cards below one that may not come wait for it, so that they do not move. */}
            {isAnswered(workloads) && <Pods place={place} list={pods} />}
          </div>
        </>
      ) : (
        <NotShown place={place} problem={problem} />
      )}
    </>
  )
}

/** The problem of both lists, when there is nothing else to show. */
function sharedProblem(deployments: List<Deployment>, pods: List<Pod>): Problem | undefined {
  const isShared = deployments.problem?.code === pods.problem?.code
  const hasItems = deployments.value !== undefined || pods.value !== undefined
  return isShared && !hasItems ? pods.problem : undefined
}

const search = () => query.value.get('q') ?? ''

const SearchBox = () => (
  <search class="namespace-search">
    <SearchField
      label="Search deployments and pods"
      placeholder="Search name, status, image, node…"
      value={search()}
      onInput={(q) => typeQuery({ q })}
    />
  </search>
)

interface ListProps<Item> {
  readonly place: Place
  readonly list: List<Item>
}

interface DeploymentsProps extends ListProps<Deployment> {
  /** Undefined until they are known. */
  readonly rights: NamespaceRights | undefined
  /** Verdicts on what runs in the namespace. */
  readonly workloads: readonly Workload[]
}

function Deployments({ place, rights, list, workloads }: DeploymentsProps) {
  const shown = list.value?.filter(({ name, status, images }) =>
    hasWords(search(), [name, status, ...images]),
  )
  return (
    <ListCard id="deployments" title="Deployments" list={list} shown={shown}>
      <DataTable
        columns={deploymentColumns(place, rights, workloads)}
        rows={shown ?? []}
        keyOf={({ uid }) => uid}
      />
    </ListCard>
  )
}

/** All workloads that are not deployments: rows with a verdict and without buttons. */
function Others({ place, list }: ListProps<Workload>) {
  const others = list.value?.filter(({ kind }) => kind !== 'Deployment')
  const shown = others?.filter(({ name, kind, health, reason, images }) =>
    hasWords(search(), [name, kind, health, reason, ...images]),
  )
  if (others === undefined || others.length === 0) return null
  return (
    <ListCard
      id="workloads"
      title="Other workloads"
      list={{ ...list, value: others }}
      shown={shown}
    >
      <WorkloadsTable place={place} workloads={shown ?? []} />
    </ListCard>
  )
}

function Pods({ place, list }: ListProps<Pod>) {
  const shown = list.value && podsInOrder(list.value.filter((pod) => podMatches(pod, search())))
  const troubled = shown?.filter(isTrouble).length ?? 0
  const note = troubled > 0 ? `${counted(troubled, 'problem')} · ` : ''
  return (
    <ListCard id="pods" title="Pods" list={list} shown={shown} note={note}>
      <PodsTable place={place} pods={shown ?? []} />
    </ListCard>
  )
}

interface ListCardProps {
  readonly id: string
  readonly title: string
  readonly list: List<unknown>
  /** The items that match the search. */
  readonly shown: readonly unknown[] | undefined
  readonly note?: string
  /** Its table. */
  readonly children: ComponentChildren
}

/** A list, or that it is loading, failed, refused or empty, in words. */
function ListCard({ id, title, list, shown = [], note, children }: ListCardProps) {
  const { value } = list
  const what = title.toLowerCase()
  return (
    <Card
      id={id}
      title={title}
      end={
        <span>
          {note}
          <span class="muted" role="status">
            {value !== undefined &&
              (shown.length === value.length ? value.length : `${shown.length} of ${value.length}`)}
          </span>
        </span>
      }
    >
      <AnswerState answer={list}>Loading the {what}…</AnswerState>
      {value?.length === 0 && <Empty title={`There are no ${what} in this namespace`} />}
      {value !== undefined && value.length > 0 && shown.length === 0 && (
        <Empty title="Nothing matches">
          <Act onClick={() => setQuery({ q: undefined })}>Show all {what}</Act>
        </Empty>
      )}
      {shown.length > 0 && children}
    </Card>
  )
}

function deploymentColumns(
  place: Place,
  rights: NamespaceRights | undefined,
  workloads: readonly Workload[],
): readonly Column<Deployment>[] {
  // A deployment is available between two crashes of its pods.
  const brokenOf = ({ uid }: Deployment) =>
    workloads.find((workload) => workload.uid === uid && isBroken(workload))
  return [
    {
      label: 'Name',
      cell(deployment) {
        const broken = brokenOf(deployment)
        const { name, statusMessage } = deployment
        return (
          <>
            <a href={pathOf('workload', { ...place, kind: 'deployment', name })}>{name}</a>
            {(isUnderWay(deployment) || broken !== undefined) && (
              <p>
                <bdi title={broken?.message}>
                  {broken === undefined ? statusMessage : shortMessage(broken)}
                </bdi>
              </p>
            )}
          </>
        )
      },
    },
    {
      label: 'Ready',
      class: 'few from-s',
      cell: ({ replicas }) => `${replicas.ready}/${replicas.desired}`,
    },
    {
      label: 'Status',
      class: 'state',
      cell: (deployment) => <Status of={brokenOf(deployment)?.health ?? deployment.status} />,
    },
    {
      label: 'Image',
      class: 'from-l',
      title: ({ images }) => images.join(', '),
      cell: ({ images }) => <code>{images.map(shortImage).join(', ')}</code>,
    },
    { label: 'Age', class: 'few from-m', cell: ({ createdAt }) => <Age at={createdAt} /> },
    {
      label: <span class="sr">Actions</span>,
      class: 'act',
      cell: (deployment) => (
        <RestartButton
          place={place}
          rights={rights}
          target={targetOf(deployment)}
          deployment={deployment}
        />
      ),
    },
  ]
}
