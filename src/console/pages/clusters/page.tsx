import { useResource } from '../../api/resource.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { AnswerState } from '../../ui/answer-state.tsx'
import { Empty } from '../../ui/parts.tsx'
import { ClusterCard } from './cluster-card.tsx'

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
