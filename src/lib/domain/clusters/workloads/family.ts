import type { Subdomain } from '../../../names.ts'
import type {
  ClusterAccess,
  ClusterFailure,
  Kubernetes,
  Selection,
} from '../../../ports/clusters.ts'
import type { KubernetesPod } from '../../../ports/kubernetes-objects.ts'
import { err, ok, type Result } from '../../../result.ts'
import { readAllPages } from '../all-pages.ts'
import { probesOf } from '../containers.ts'
import { podView } from '../pod.ts'
import { type ReadObject, type ResourceName, RESOURCES } from '../resources.ts'
import { podFacts } from './pod-facts.ts'
import { conditionView, controllerOf, type WorkloadFacts } from './workload.ts'

export interface WorkloadName {
  readonly type: ResourceName
  readonly name: Subdomain
}

export type WorkloadFailure = ClusterFailure | { readonly kind: 'workload_not_found' }

/** A workload by itself. */
export interface Root extends Omit<ReadObject, 'facts'> {
  readonly root: WorkloadFacts
}

/** A workload with what it makes. Each part may be refused by itself. */
export interface Family extends Root {
  /** Objects between the workload and its pods, such as ReplicaSets. */
  readonly parts: Result<readonly WorkloadFacts[], ClusterFailure>
  readonly pods: Result<readonly OwnPod[], ClusterFailure>
}

/** Members that a cluster may refuse by themselves. */
export type Refusable =
  | 'pods'
  | 'containers'
  | 'events'
  | 'revisions'
  | 'runs'
  | 'services'
  | 'routes'
  | 'autoscaler'
  | 'disruptionBudgets'
  | 'volumeClaims'

/** Takes what has been read of a member; `null` for what the cluster does not let the person read. */
export type Part = <Value>(
  member: Refusable,
  reading: Result<Value, ClusterFailure> | Promise<Result<Value, ClusterFailure>>,
) => Promise<Value | null>

export type OwnPod = ReturnType<typeof ownPod>

/** Runs of a cron job, the newest. */
const RUNS_MAX = 20

const PARTS: Partial<Record<ResourceName, ResourceName>> = {
  deployment: 'replicaset',
  cronjob: 'job',
}

export async function readRoot(
  kubernetes: Pick<Kubernetes, 'objects'>,
  access: ClusterAccess,
  { type, name }: WorkloadName,
): Promise<Result<Root, WorkloadFailure>> {
  const found = await RESOURCES[type].sourceIn(kubernetes).read(access, name)
  if (!found.ok) {
    const isMissing = found.error.kind === 'cluster_object_not_found'
    return isMissing ? err({ kind: 'workload_not_found' }) : found
  }
  const { facts, ...more } = found.value
  // A pod with a controller is a part of another workload.
  return facts.workload === null
    ? err({ kind: 'workload_not_found' })
    : ok({ root: facts.workload, ...more })
}

/** Selectors of two workloads can meet; the controller tells whose an object is. */
export async function readFamily(
  kubernetes: Pick<Kubernetes, 'objects'>,
  access: ClusterAccess,
  named: WorkloadName,
): Promise<Result<Family, WorkloadFailure>> {
  const found = await readRoot(kubernetes, access, named)
  if (!found.ok) return found
  const { root } = found.value
  const parts = await readParts(kubernetes, access, PARTS[named.type], found.value)
  // Without the parts nobody knows whose the pods are.
  if (!parts.ok) return ok({ ...found.value, parts, pods: parts })
  const owners = new Set([root.uid, ...parts.value.map(({ uid }) => uid)])
  const selection = selectionOf(named, found.value, parts.value)
  if (selection === undefined) return ok({ ...found.value, parts, pods: ok([]) })
  const collection = kubernetes.objects(RESOURCES.pod)
  const pods = await readAllPages((page) =>
    collection.list(access, { ...page, ...selection }, (pod) => {
      const { metadata } = pod
      const isOwn = owners.has(controllerOf(metadata)?.uid ?? '') || owners.has(metadata.uid)
      return isOwn ? ownPod(pod) : null
    }),
  )
  return ok({ ...found.value, parts, pods: pods.ok ? ok(pods.value.items) : pods })
}

async function readParts(
  kubernetes: Pick<Kubernetes, 'objects'>,
  access: ClusterAccess,
  type: ResourceName | undefined,
  { root, selector }: Root,
): Promise<Family['parts']> {
  if (type === undefined) return ok([])
  const listed = await RESOURCES[type].sourceIn(kubernetes).list(access, selector)
  if (!listed.ok) return listed
  return ok(
    listed.value.items.flatMap(({ workload }) =>
      workload?.controller?.uid === root.uid ? workload : [],
    ),
  )
}

/** Label selector of its pods, which may select pods of others too. `undefined`: there can be none. */
function selectionOf(
  { type, name }: WorkloadName,
  { selector }: Root,
  parts: readonly WorkloadFacts[],
): Selection | undefined {
  if (type === 'pod') return { labelSelector: null, name }
  if (type !== 'cronjob') return { labelSelector: selector }
  // Jobs label their pods with their names.
  const names = newestRuns(parts).map(({ name }) => name)
  return names.length === 0 ? undefined : { labelSelector: `job-name in (${names.join(',')})` }
}

export const newestRuns = (jobs: readonly WorkloadFacts[]): readonly WorkloadFacts[] =>
  jobs.toSorted((one, other) => other.createdAt.localeCompare(one.createdAt)).slice(0, RUNS_MAX)

/** The workload and everything that it has made, as far as it can be read. */
export const uidsOf = ({ root, parts, pods }: Family): ReadonlySet<string> =>
  new Set([
    root.uid,
    ...(parts.ok ? parts.value.map(({ uid }) => uid) : []),
    ...(pods.ok ? pods.value.map(({ facts }) => facts.uid) : []),
  ])

function ownPod(pod: KubernetesPod) {
  const { initContainers = [], containers, volumes = [] } = pod.spec
  return {
    view: podView(pod),
    facts: podFacts(pod),
    /** Names of its volume claims. */
    claims: volumes.flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? []),
    qosClass: pod.status?.qosClass ?? null,
    conditions: (pod.status?.conditions ?? []).map(conditionView),
    containers: [...initContainers, ...containers].map((container) => ({
      name: container.name,
      probes: probesOf(container),
      requests: container.resources?.requests ?? {},
      limits: container.resources?.limits ?? {},
    })),
  }
}
