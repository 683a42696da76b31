import { useResource } from '../../api/resource.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { Empty, Loading, ProblemNote } from '../../ui/parts.tsx'
import { ClusterCard } from './cluster-card.tsx'

export default function Clusters() {
  const { value, problem, reload } = useResource('/api/v1/clusters')
  return (
    <>
      <PageHead title="Clusters" />
      <div class="stack">
        {problem !== undefined && (
          <ProblemNote problem={problem} retry={reload} isStale={value !== undefined} />
        )}
        {value === undefined && problem === undefined && <Loading>Loading the clusters…</Loading>}
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
