import { createFair, type Fair } from '../../../concurrency/fair.ts'
import type { AppName, EnvironmentName, Label, TeamName } from '../../../names.ts'
import type { Cluster } from '../../../ports/clusters.ts'
import type { ReviewRequest } from '../access-reviews.ts'
import type { ClusterHealth } from '../cluster-health.ts'
import type { Result } from '../../../result.ts'
import { placesOf } from '../namespace-pattern.ts'
import type { Workload } from './join.ts'
import type { TooManyStreams } from '../open-streams.ts'
import type { WorkloadWatch, WorkloadWatches } from './watches.ts'
import { HEALTHS, verdict, type Verdict } from './workload.ts'

/** An application that has reached an environment. */
export interface PlacedApplication {
  readonly team: TeamName
  readonly app: AppName
  readonly environment: EnvironmentName
}

export interface ApplicationHealth<Of> extends Verdict {
  readonly of: Of
  readonly cluster: Label
  readonly namespace: Label
}

export interface ApplicationHealthSource {
  /** The clusters that the person may see. */
  readonly clusters: readonly Cluster[]
  readonly healthOf: (cluster: Cluster) => ClusterHealth
  readonly watches: Pick<WorkloadWatches, 'open'>
}

/** A cluster that takes longer does not delay the others; the next request has its answer. */
const PATIENCE_MS = 2_000
/** Namespaces of a cluster that are asked at once: all of them would queue before what else the person asks for. */
const NAMESPACES_AT_ONCE = 8
/** The label of all objects of an application. */
export const APPLICATION_NAME = 'app.kubernetes.io/name'

const UNREACHABLE = verdict('Unknown', 'The cluster cannot be reached', 'cluster_unreachable')
const ASKING = verdict('Unknown', 'The cluster has yet to answer', 'cluster_timeout')
const TOO_MANY = verdict('Unknown', 'Too many namespaces are followed for you', 'too_many_streams')
const NOTHING = verdict('Unknown', 'Nothing of it runs there', 'NoWorkload')

/**
 * A verdict on each application in each cluster that carries its environment: the worst of its workloads, which have its name as
 * the label `app.kubernetes.io/name`. They are followed
 * once per session and namespace; when all have been asked the answer comes from memory.
 */
export async function readApplicationHealth<Of extends PlacedApplication>(
  { clusters, healthOf, watches }: ApplicationHealthSource,
  request: ReviewRequest,
  applications: readonly Of[],
): Promise<readonly ApplicationHealth<Of>[]> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const turns = new Map<Label, Pick<Fair, 'inTurn'>>()
  const opened = new Map<string, Promise<Opened>>()
  const turnAt = (cluster: Label) =>
    turns.getOrInsertComputed(cluster, () =>
      createFair({
        queue: 'namespaces',
        permits: NAMESPACES_AT_ONCE,
        perPerson: NAMESPACES_AT_ONCE,
      }),
    )
  const open = (cluster: Label, namespace: Label): Promise<Opened> =>
    opened.getOrInsertComputed(`${cluster} ${namespace}`, () =>
      turnAt(cluster).inTurn(async () =>
        signal.aborted
          ? null
          : watches.open({ ...request, cluster, namespace, signal }, APPLICATION_NAME),
      ),
    )
  const places = applications.flatMap((of) =>
    placesOf(clusters, of).map((place) => ({ of, ...place })),
  )
  try {
    return await Promise.all(
      places.map(async ({ of, cluster, namespace }): Promise<ApplicationHealth<Of>> => {
        const place = { of, cluster: cluster.id, namespace }
        if (healthOf(cluster).status === 'Unreachable') return { ...place, ...UNREACHABLE }
        return { ...place, ...verdictIn(await open(cluster.id, namespace), of.app) }
      }),
    )
  } finally {
    for (const watch of await Promise.allSettled(opened.values())) {
      if (watch.status === 'fulfilled' && watch.value?.ok === true) watch.value.value.close()
    }
  }
}

/** `null`: its turn has not come. */
type Opened = Result<WorkloadWatch, TooManyStreams> | null

function verdictIn(watch: Opened, app: AppName): Verdict {
  if (watch?.ok === false) return TOO_MANY
  const current = watch?.value.current() ?? null
  if (current === null) return ASKING
  if (!current.ok) return verdict('Unknown', 'The cluster does not answer this', current.error.kind)
  return worstOf(current.value.filter(({ labels }) => labels[APPLICATION_NAME] === app)) ?? NOTHING
}

/** The worst verdict of several workloads, with the name of its workload. */
function worstOf(workloads: readonly Workload[]): Verdict | undefined {
  const rank = ({ health }: Verdict): number => HEALTHS.indexOf(health)
  const [worst] = workloads.toSorted((one, other) => rank(one) - rank(other))
  if (worst === undefined) return undefined
  const { kind, name, health, reason, message, since } = worst
  const isOnly = workloads.length === 1
  return verdict(health, isOnly ? message : `${kind} ${name}: ${message}`, reason, since)
}
