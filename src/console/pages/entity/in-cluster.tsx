import { useResource } from '../../api/resource.ts'
import { useWatched } from '../../api/watched.ts'
import { pathOf } from '../../paths.ts'
import { AnswerState } from '../../ui/answer-state.tsx'
import { Card } from '../../ui/parts.tsx'
import { podsInOrder } from '../clusters/pod-words.ts'
import { PodsTable } from '../clusters/pods-table.tsx'
import { RestartButton } from '../clusters/restart-button.tsx'
import { WorkloadsTable } from '../clusters/workloads-table.tsx'
import { type Promotion, titleOf } from './stage.ts'
import { placesOf, type RunningPlace } from './running-facts.ts'

/** Workloads and pods of every environment that may be looked at. The stages say why the others are missing. */
export function InClusters({ promotion }: { readonly promotion: Promotion }) {
  const places = placesOf(promotion)
  if (places.length === 0) return null
  return (
    <Card id="pods" title="Pods">
      {places.map((place) => (
        <InCluster key={`${place.environment} ${place.cluster}/${place.namespace}`} at={place} />
      ))}
    </Card>
  )
}

function InCluster({ at }: { readonly at: RunningPlace }) {
  const { environment, cluster, namespace, labelSelector } = at
  const place = { cluster, namespace }
  const rights = useResource('/api/v1/clusters/{clusterId}/namespaces', {
    params: { clusterId: cluster },
  })
  const own = rights.value?.find(({ name }) => name === namespace)
  const selected = { ...place, labelSelector }
  const deployments = useWatched('deployments', selected).items ?? []
  const workloads = useWatched('workloads', selected)
  const pods = useWatched('pods', selected)
  return (
    <div class="entity-pods">
      <header>
        <h3>
          {titleOf(environment)}{' '}
          <a href={pathOf('namespace', place)}>{`${cluster} / ${namespace}`}</a>
        </h3>
        {deployments.map((deployment) => (
          <RestartButton key={deployment.uid} place={place} rights={own} deployment={deployment} />
        ))}
      </header>
      <AnswerState answer={{ value: workloads.items, problem: workloads.problem }}>
        Loading the workloads…
      </AnswerState>
      {workloads.items !== undefined && workloads.items.length > 0 && (
        <WorkloadsTable workloads={workloads.items} />
      )}
      <AnswerState answer={{ value: pods.items, problem: pods.problem }}>
        Loading the pods…
      </AnswerState>
      {pods.items?.length === 0 && <p class="loading">No pod of it runs here.</p>}
      {pods.items !== undefined && pods.items.length > 0 && (
        <PodsTable place={place} pods={podsInOrder(pods.items)} />
      )}
    </div>
  )
}
