import { useList } from '../../api/lists.ts'
import { pathOf } from '../../paths.ts'
import { Icon } from '../../ui/icon.tsx'
import { Card } from '../../ui/card.tsx'
import { AnswerState } from '../../ui/parts.tsx'
import { LiveMark } from '../clusters/place-head.tsx'
import { podsInOrder } from '../clusters/pod-words.ts'
import { PodsTable } from '../clusters/pods-table.tsx'
import { RestartButton } from '../clusters/restart-button.tsx'
import { targetOf } from '../clusters/rollout.ts'
import { WorkloadsTable } from '../clusters/workloads-table.tsx'
import { placesOf, type RunningPlace, versionGap } from './running-facts.ts'
import { type Promotion, titleOf } from './stage.ts'

interface InClusterProps {
  readonly at: RunningPlace
  readonly promotion: Promotion
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
          promotion={promotion}
        />
      ))}
    </Card>
  )
}

function InCluster({ at, promotion: { team, environments } }: InClusterProps) {
  const { environment, cluster, namespace, labelSelector, canRestart } = at
  const inGit = environments.find(({ name }) => name === environment)?.image ?? null
  const place = { cluster, namespace }
  const selected = { ...place, labelSelector }
  const deployments = useList('deployments', selected).value ?? []
  const gaps = new Set(deployments.flatMap((deployment) => versionGap(deployment, inGit) ?? []))
  const workloads = useList('workloads', selected)
  const pods = useList('pods', selected)
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
            rights={canRestart === null ? undefined : { canRestart, team }}
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
      <AnswerState answer={workloads}>Loading the workloads…</AnswerState>
      {workloads.value !== undefined && workloads.value.length > 0 && (
        <WorkloadsTable place={place} workloads={workloads.value} />
      )}
      <AnswerState answer={pods}>Loading the pods…</AnswerState>
      {pods.value?.length === 0 && <p class="none">No pod of it runs here.</p>}
      {pods.value !== undefined && pods.value.length > 0 && (
        <PodsTable place={place} pods={podsInOrder(pods.value)} />
      )}
    </div>
  )
}
