import type { Subdomain } from '../../names.ts'
import type {
  ClusterAccess,
  ClusterFailure,
  Collection,
  Kubernetes,
  ListQuery,
} from '../../ports/clusters.ts'
import type {
  KubernetesDeployment,
  KubernetesPod,
  KubernetesReplicaSet,
} from '../../ports/kubernetes-objects.ts'
import { err, ok, type Result } from '../../result.ts'
import { readAllPages, withReadDeadline } from './all-pages.ts'
import { EVENTS_MAX, readEvents } from './event-pages.ts'
import { type DeploymentEvent, deploymentEvents } from './pod-event.ts'
import { selectorText } from './selector-text.ts'

const PAGE_ITEMS = 500
const PAGES_MAX = 50

export interface DeploymentEventsSource extends Pick<Kubernetes, 'events'> {
  readonly deployments: Pick<Collection<KubernetesDeployment>, 'read'>
  readonly replicaSets: Pick<Collection<KubernetesReplicaSet>, 'list'>
  readonly pods: Pick<Collection<KubernetesPod>, 'list'>
}

type DeploymentEventsFailure = ClusterFailure | { readonly kind: 'deployment_not_found' }

/**
 * The events of a deployment, of its replica sets and of its pods, by their uids. `kubectl describe deployment` shows its own events
 * alone; those of the others say why pods cannot be created, scheduled or started.
 */
export async function readDeploymentEvents(
  kubernetes: DeploymentEventsSource,
  given: ClusterAccess,
  name: Subdomain,
): Promise<Result<readonly DeploymentEvent[], DeploymentEventsFailure>> {
  const signal = withReadDeadline(given.signal)
  const access = { ...given, signal }
  const deployment = await kubernetes.deployments.read(access, name)
  if (!deployment.ok) {
    const isMissing = deployment.error.kind === 'cluster_object_not_found'
    return isMissing ? err({ kind: 'deployment_not_found' }) : deployment
  }
  const { metadata, spec } = deployment.value
  const labelSelector = selectorText(spec.selector ?? {})
  const [replicaSets, pods] = await Promise.all([
    readOwned(kubernetes.replicaSets, access, labelSelector),
    readOwned(kubernetes.pods, access, labelSelector),
  ])
  if (!replicaSets.ok) return replicaSets
  if (!pods.ok) return pods
  const ownReplicaSets = ownedBy(new Set([metadata.uid]), replicaSets.value)
  const ownPods = ownedBy(ownReplicaSets, pods.value)
  const uids = new Set([metadata.uid, ...ownReplicaSets, ...ownPods])
  const events = await readEvents(kubernetes, access, null)
  if (!events.ok) return events
  const own = events.value.filter(({ involvedObject }) => uids.has(involvedObject?.uid ?? ''))
  return ok(deploymentEvents(own).slice(-EVENTS_MAX))
}

interface Owned {
  readonly uid: string
  readonly ownerUid: string | null
}

async function readOwned<Item extends Pick<KubernetesPod, 'metadata'>>(
  collection: Pick<Collection<Item>, 'list'>,
  access: ClusterAccess,
  labelSelector: string | null,
): Promise<Result<readonly Owned[], ClusterFailure>> {
  const read = await readAllPages(PAGES_MAX, (after) => {
    const query: ListQuery = { limit: PAGE_ITEMS, after, labelSelector }
    return collection.list(access, query, ({ metadata: { uid, ownerReferences = [] } }) => ({
      uid,
      ownerUid: ownerReferences.find(({ controller }) => controller === true)?.uid ?? null,
    }))
  })
  return read.ok ? ok(read.value.items) : read
}

/** Selectors of two deployments can meet; the controller tells whose an object is. */
const ownedBy = (owners: ReadonlySet<string>, objects: readonly Owned[]): ReadonlySet<string> =>
  new Set(
    objects.flatMap(({ uid, ownerUid }) =>
      ownerUid !== null && owners.has(ownerUid) ? [uid] : [],
    ),
  )
