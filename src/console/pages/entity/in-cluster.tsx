import { useResource } from '../../api/resource.ts'
import { useWatched } from '../../api/watched.ts'
import { pathOf } from '../../paths.ts'
import { AnswerState } from '../../ui/answer-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Card } from '../../ui/parts.tsx'
import { LiveMark } from '../clusters/live-mark.tsx'
import { podsInOrder } from '../clusters/pod-words.ts'
import { PodsTable } from '../clusters/pods-table.tsx'
import { RestartButton } from '../clusters/restart-button.tsx'
import { targetOf } from '../clusters/rollout.ts'
import { WorkloadsTable } from '../clusters/workloads-table.tsx'
import { type Image, type Promotion, titleOf } from './stage.ts'
import { placesOf, type RunningPlace, versionGap } from './running-facts.ts'

interface InClusterProps {
  readonly at: RunningPlace
  /** As git has it. */
  readonly image: Image | null
}

/** Workloads and pods of every environment that may be looked at. The stages say why the others are missing. */
export function InClusters({ promotion }: { readonly promotion: Promotion }) {
  const places = placesOf(promotion)
  if (places.length === 0) return null
  return (
    <Card id="pods" title="Pods">
      {places.map((place) => (
        <InCluster
          key={`${place.environment} ${place.cluster}/${place.namespace}`}
          at={place}
          image={
            promotion.environments.find(({ name }) => name === place.environment)?.image ?? null
          }
        />
      ))}
    </Card>
  )
}

function InCluster({ at, image }: InClusterProps) {
  const { environment, cluster, namespace, labelSelector } = at
  const place = { cluster, namespace }
  const rights = useResource('/api/v1/clusters/{clusterId}/namespaces', {
    params: { clusterId: cluster },
  })
  const own = rights.value?.find(({ name }) => name === namespace)
  const selected = { ...place, labelSelector }
  const deployments = useWatched('deployments', selected).items ?? []
  const gaps = new Set(deployments.flatMap((deployment) => versionGap(deployment, image) ?? []))
  const workloads = useWatched('workloads', selected)
  const pods = useWatched('pods', selected)
  return (
    <div class="entity-pods">
      <header>
        <h3>
          {titleOf(environment)}{' '}
          <a href={pathOf('namespace', place)}>{`${cluster} / ${namespace}`}</a>
        </h3>
        <LiveMark isLive={pods.isLive && pods.problem === undefined} />
        {deployments.map((deployment) => (
          <RestartButton
            key={deployment.uid}
            place={place}
            rights={own}
            target={targetOf(deployment)}
            deployment={deployment}
          />
        ))}
      </header>
      {[...gaps].map((gap) => (
        <p key={gap} class="train-bar" data-tone="warn">
          <Icon name="warn" />
          <span>{gap}</span>
        </p>
      ))}
      <AnswerState answer={{ value: workloads.items, problem: workloads.problem }}>
        Loading the workloads…
      </AnswerState>
      {workloads.items !== undefined && workloads.items.length > 0 && (
        <WorkloadsTable place={place} workloads={workloads.items} />
      )}
      <AnswerState answer={{ value: pods.items, problem: pods.problem }}>
        Loading the pods…
      </AnswerState>
      {pods.items?.length === 0 && <p class="none">No pod of it runs here.</p>}
      {pods.items !== undefined && pods.items.length > 0 && (
        <PodsTable place={place} pods={podsInOrder(pods.items)} />
      )}
    </div>
  )
}
