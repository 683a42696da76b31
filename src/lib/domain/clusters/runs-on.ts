import type { AppName, EnvironmentName, Label, TeamName } from '../../names.ts'
import type { Cluster } from '../../ports/clusters.ts'
import {
  type AccessReviews,
  LIST_PODS,
  RESTART,
  type ReviewRequest,
  type Right,
} from './access-reviews.ts'
import type { ClusterHealth } from './cluster-health.ts'
import { type Place, placesOf } from './namespace-pattern.ts'

/** An environment of an application, as the gitops repository says. */
export interface Placement {
  readonly environment: EnvironmentName
  readonly team: TeamName
  readonly app: AppName
  /** The namespace that the overlay names. */
  readonly namespace: Label | null
}

export interface RunsOn {
  readonly cluster: Label
  readonly namespace: Label
  readonly labelSelector: string
  /** Whether the person may list the pods there; `null` while the cluster cannot be asked. */
  readonly allowed: boolean | null
  /** Whether the person may restart what runs there, in the same way. */
  readonly canRestart: boolean | null
}

export type RunsOnByEnvironment = ReadonlyMap<EnvironmentName, readonly RunsOn[]>

export interface RunsOnSource {
  /** The clusters that the person may see. */
  readonly clusters: readonly Cluster[]
  readonly reviews: Pick<AccessReviews, 'glance'>
  readonly healthOf: (cluster: Cluster) => ClusterHealth
}

/** A cluster that takes longer does not delay the answer about the others; its own comes with the next request. */
const PATIENCE_MS = 2_000

/** The places in which the environments of an application run, or would run. All clusters are asked at once. */
export async function readRunsOn(
  source: RunsOnSource,
  request: ReviewRequest,
  placements: readonly Placement[],
): Promise<RunsOnByEnvironment> {
  const entries = placements.map(async (placement) => {
    const runsOn = placesOf(source.clusters, placement).map(async (place): Promise<RunsOn> => ({
      cluster: place.cluster.id,
      namespace: place.namespace,
      labelSelector: `app.kubernetes.io/name=${placement.app}`,
      ...(await rightsIn(source, request, place)),
    }))
    return [placement.environment, await Promise.all(runsOn)] as const
  })
  return new Map(await Promise.all(entries))
}

/** A cluster that the last probe could not reach is not waited for. */
async function rightsIn(
  { reviews, healthOf }: RunsOnSource,
  request: ReviewRequest,
  { cluster, namespace }: Place,
): Promise<Pick<RunsOn, 'allowed' | 'canRestart'>> {
  if (healthOf(cluster).status === 'Unreachable') return { allowed: null, canRestart: null }
  const glance = (right: Right) => reviews.glance(PATIENCE_MS, request, cluster, namespace, right)
  const [allowed, canRestart] = await Promise.all([glance(LIST_PODS), glance(RESTART)])
  return { allowed, canRestart }
}
