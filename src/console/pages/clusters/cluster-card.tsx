import type { AnswerOf } from '../../api/call.ts'
import { useResource } from '../../api/resource.ts'
import { pathOf } from '../../paths.ts'
import { AnswerState } from '../../ui/answer-state.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Card, Chip, Empty } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { unreachableWords } from './cluster-words.ts'

type Cluster = AnswerOf<'get', '/api/v1/clusters'>[number]
type Namespace = AnswerOf<'get', '/api/v1/clusters/{clusterId}/namespaces'>[number]

/** A cluster with the namespaces that the person may read. A cluster that does not answer is not asked for them. */
export const ClusterCard = ({ cluster }: { readonly cluster: Cluster }) => (
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
        <NamespaceList cluster={cluster} namespaces={value} />
      )}
    </>
  )
}

interface NamespaceListProps {
  readonly cluster: string
  readonly namespaces: readonly Namespace[]
}

/** Those of teams before those of the cluster itself; each by name, as the list comes. */
const teamsFirst = (one: Namespace, other: Namespace): number =>
  Number(one.team === null) - Number(other.team === null)

const NamespaceList = ({ cluster, namespaces }: NamespaceListProps) => (
  <table class="list words">
    <thead>
      <tr>
        <th scope="col">Namespace</th>
        <th scope="col">Environment</th>
        <th scope="col">Team</th>
        <th scope="col">You may</th>
      </tr>
    </thead>
    <tbody>
      {namespaces.toSorted(teamsFirst).map(({ name, environment, team, canRestart }) => (
        <tr key={name}>
          <td class="name">
            <a href={pathOf('namespace', { cluster, namespace: name })}>{name}</a>
          </td>
          <td>{environment ?? '–'}</td>
          <td>{team ?? '–'}</td>
          <td>{canRestart ? 'look and restart' : 'look'}</td>
        </tr>
      ))}
    </tbody>
  </table>
)
