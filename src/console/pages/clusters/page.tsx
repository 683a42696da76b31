import type { AnswerOf } from '../../api/call.ts'
import { useResource } from '../../api/resource.ts'
import { pathOf } from '../../paths.ts'
import { Copy } from '../../ui/copy.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Card, Chip } from '../../ui/card.tsx'
import { AnswerState, Empty } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { unreachableWords } from './cluster-words.ts'

type Cluster = AnswerOf<'get', '/api/v1/clusters'>[number]
type Namespace = AnswerOf<'get', '/api/v1/clusters/{clusterId}/namespaces'>[number]

export default function Clusters() {
  const answer = useResource('/api/v1/clusters')
  const { value } = answer
  return (
    <>
      <PageHead title="Clusters" />
      <div class="stack">
        <AnswerState answer={answer}>Loading the clusters…</AnswerState>
        {value?.length === 0 && (
          <Empty title="No cluster is shown to you">
            <p>Clusters belong to groups. Ask the platform team for the one that you need.</p>
          </Empty>
        )}
        {value?.map((cluster) => (
          <ClusterCard key={cluster.id} cluster={cluster} />
        ))}
      </div>
    </>
  )
}

/** A cluster with the namespaces that the person may read. A cluster that does not answer is not asked for them. */
const ClusterCard = ({ cluster }: { readonly cluster: Cluster }) => (
  <Card id={`cluster-${cluster.id}`} title={cluster.name} end={<Chip of={cluster.status} />}>
    <p class="cluster-facts">
      <span>
        <code>{cluster.id}</code>
        <Copy text={cluster.id} name="the cluster's id" />
      </span>
      {cluster.version !== null && <span>Kubernetes {cluster.version}</span>}
      <span>
        <code>{cluster.apiServer}</code>
        <Copy text={cluster.apiServer} name="the address of the API server" />
      </span>
      {cluster.checkedAt !== null && (
        <span>
          checked <Time at={cluster.checkedAt} />
        </span>
      )}
    </p>
    {cluster.status === 'Unreachable' ? (
      <Empty title="Portico cannot reach this cluster">
        <p>{unreachableWords(cluster.statusReason)} Portico tries again every few seconds.</p>
      </Empty>
    ) : (
      <Namespaces cluster={cluster.id} />
    )}
  </Card>
)

function Namespaces({ cluster }: { readonly cluster: string }) {
  const answer = useResource('/api/v1/clusters/{clusterId}/namespaces', {
    params: { clusterId: cluster },
  })
  const { value } = answer
  return (
    <>
      <AnswerState answer={answer}>Loading its namespaces…</AnswerState>
      {value?.length === 0 && (
        <Empty title="None of its namespaces is open to you">
          <p>You see the namespaces in which the cluster lets you list pods.</p>
        </Empty>
      )}
      {value !== undefined && value.length > 0 && (
        <DataTable
          rows={value.toSorted(teamsFirst)}
          keyOf={({ name }) => name}
          columns={columnsIn(cluster)}
        />
      )}
    </>
  )
}

/** Those of teams before those of the cluster itself; each by name, as the list comes. */
const teamsFirst = (one: Namespace, other: Namespace): number =>
  Number(one.team === null) - Number(other.team === null)

const columnsIn = (cluster: string): readonly Column<Namespace>[] => [
  {
    label: 'Namespace',
    cell: ({ name }) => <a href={pathOf('namespace', { cluster, namespace: name })}>{name}</a>,
  },
  { label: 'Environment', cell: ({ environment }) => environment ?? '–' },
  { label: 'Team', class: 'from-s', cell: ({ team }) => team ?? '–' },
  { label: 'You may', cell: ({ canRestart }) => (canRestart ? 'look and restart' : 'look') },
]
