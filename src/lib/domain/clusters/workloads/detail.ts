import type { Subdomain } from '../../../names.ts'
import type { ClusterAccess, ClusterFailure, Kubernetes } from '../../../ports/clusters.ts'
import type { KubernetesEvent, KubernetesPod } from '../../../ports/kubernetes-objects.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { GrantedAccess } from '../access.ts'
import { readAllPages, withReadDeadline } from '../all-pages.ts'
import { readEvents } from '../event-pages.ts'
import { type DeploymentEvent, deploymentEvents } from '../pod-event.ts'
import { podView, type PodView } from '../pod.ts'
import { type ResourceName, RESOURCES } from '../resources.ts'
import { joinWorkloads, type Workload } from './join.ts'
import { listObjects } from './list-objects.ts'
import { readNeighbours, type Route } from './neighbours.ts'
import { type PodFacts, podFacts } from './pod-facts.ts'
import { isAbsent } from './read-workloads.ts'
import { type ProbeView, probesOf } from './probe.ts'
import { type ConditionView, conditionView, type WorkloadFacts } from './workload.ts'

type Unwrapped<Read> = Read extends Promise<Result<infer Value, ClusterFailure>> ? Value : never
type Neighbours = ReturnType<typeof readNeighbours>
type Neighbour<Name extends keyof Neighbours> = Unwrapped<Neighbours[Name]>

/** A template that the workload had. */
export interface Revision {
  readonly name: string
  readonly number: number
  readonly images: readonly string[]
  readonly createdAt: string
  readonly isCurrent: boolean
}

/** A workload with all that belongs to it and stands around it; `null` for a part that the cluster does not let the person read. */
export interface WorkloadDetail {
  readonly workload: Workload
  /** At most `PODS_MAX`. */
  readonly pods: readonly PodView[] | null
  /** What its controller says of it. */
  readonly conditions: readonly ConditionView[]
  readonly newestPod: NewestPod | null
  /** Of its newest pod, with what they ask for, may use and use. */
  readonly containers: readonly ContainerResources[] | null
  /** Of the workload, its parts and its pods, newest last. */
  readonly events: readonly DeploymentEvent[] | null
  /** Newest first, at most `REVISIONS_MAX`; none of kinds that keep no template. */
  readonly revisions: readonly Revision[] | null
  /** Jobs of a cron job, newest first. */
  readonly runs: readonly Workload[] | null
  readonly services: Neighbour<'services'> | null
  readonly routes: readonly Omit<Route, 'services'>[] | null
  readonly autoscaler: Neighbour<'autoscalers'>[number] | null
  readonly disruptionBudgets: Neighbour<'disruptionBudgets'> | null
  readonly volumeClaims: Neighbour<'volumeClaims'> | null
  /** Members that the cluster does not let the person read, at least not whole. */
  readonly refused: readonly string[]
}

export interface NewestPod {
  readonly name: string
  readonly qosClass: string | null
  readonly conditions: readonly ConditionView[]
}

export interface ContainerResources {
  readonly name: string
  readonly probes: readonly ProbeView[]
  readonly requests: Readonly<Record<string, string>>
  readonly limits: Readonly<Record<string, string>>
  /** `null` without the metrics API, without the right to it, and before it has measured the pod. */
  readonly usage: Readonly<Record<string, string>> | null
}

export type DetailFailure = ClusterFailure | { readonly kind: 'workload_not_found' }

const PAGE_ITEMS = 500
const PAGES_MAX = 20
const EVENTS_MAX = 500
const RUNS_MAX = 20
const PODS_MAX = 1_000
const REVISIONS_MAX = 100
/** Pods of a workload are labelled alike. Each set is compared with every service and budget of the namespace. */
const LABEL_SETS_MAX = 100

/** Kinds that a workload makes between itself and its pods. */
const PARTS: Partial<Record<ResourceName, ResourceName>> = {
  deployment: 'replicaset',
  cronjob: 'job',
}

/** Reads one workload, as the person. */
export async function readWorkloadDetail(
  kubernetes: Pick<Kubernetes, 'objects' | 'events'>,
  given: GrantedAccess,
  { type, name }: { readonly type: ResourceName; readonly name: Subdomain },
): Promise<Result<WorkloadDetail, DetailFailure>> {
  const signal = withReadDeadline(given.signal)
  const access = { ...given, signal }
  const found = await RESOURCES[type].sourceIn(kubernetes).read(access, name)
  if (!found.ok) {
    const isMissing = found.error.kind === 'cluster_object_not_found'
    return isMissing ? err({ kind: 'workload_not_found' }) : found
  }
  const { selector, podLabels, facts, conditions } = found.value
  const root = facts.workload
  // A pod that something controls is a part of that.
  if (root === null) return err({ kind: 'workload_not_found' })

  const parts = await readParts(kubernetes, access, type, root, selector)
  const owners = new Set([root.uid, ...(parts.ok ? parts.value.map(({ uid }) => uid) : [])])
  // Without the parts nobody knows whose the pods are.
  const pods = parts.ok
    ? await readPods(kubernetes, access, owners, podSelector(type, parts.value, selector))
    : parts
  const own = pods.ok ? pods.value : []
  const refused = new Set<keyof WorkloadDetail>()
  const failures: ClusterFailure[] = []
  /** `null` for what the cluster refuses. */
  async function part<Value>(
    name: keyof WorkloadDetail,
    reading: Result<Value, ClusterFailure> | Promise<Result<Value, ClusterFailure>>,
  ): Promise<Value | null> {
    const answer = await reading
    if (answer.ok) return answer.value
    if (isAbsent(answer.error)) refused.add(name)
    else failures.push(answer.error)
    return null
  }
  const newest = newestPod(own)
  const around = readNeighbours(kubernetes, access, {
    root,
    labels: own.length === 0 ? [podLabels ?? root.labels] : labelSetsOf(own),
    claims: new Set(own.flatMap(({ claims }) => claims)),
    measured: newest?.view.name ?? null,
  })
  const read = {
    parts: await part(type === 'cronjob' ? 'runs' : 'revisions', parts),
    pods: await part('pods', pods),
  }
  const [usage, events, services, ingresses, httpRoutes, autoscalers, budgets, claims, templates] =
    await Promise.all([
      part('containers', around.usage),
      part('events', readEvents(kubernetes, access, null)),
      part('services', around.services),
      part('routes', around.ingresses),
      part('routes', around.httpRoutes),
      part('autoscaler', around.autoscalers),
      part('disruptionBudgets', around.disruptionBudgets),
      part('volumeClaims', around.volumeClaims),
      part('revisions', around.controllerRevisions),
    ])
  if (services === null) refused.add('routes')
  const [failure] = failures
  if (failure !== undefined) return err(failure)

  const now = given.now()
  const objects = {
    workloads: [root, ...(read.parts ?? [])],
    pods: read.pods?.map((each) => each.facts) ?? null,
  }
  const workload = joinWorkloads(objects, now).find(({ uid }) => uid === root.uid)
  if (workload === undefined) return err({ kind: 'workload_not_found' })
  const uids = new Set([...owners, ...own.map(({ view }) => view.uid)])
  return ok({
    workload,
    conditions,
    newestPod: newest?.pod ?? null,
    pods: read.pods?.slice(0, PODS_MAX).map(({ view }) => view) ?? null,
    containers:
      read.pods &&
      (newest?.containers ?? []).map((each) => ({ ...each, usage: usage?.get(each.name) ?? null })),
    events: events && eventsOf(uids, events),
    revisions:
      type === 'deployment'
        ? read.parts && revisionsOf(root, read.parts)
        : templates && templatesOf(root, templates),
    runs: type === 'cronjob' ? read.parts && runsOf(read.parts, objects.pods, now) : [],
    services,
    routes: services && routesTo(services, ingresses, httpRoutes),
    autoscaler: autoscalers?.[0] ?? null,
    disruptionBudgets: budgets,
    volumeClaims: claims,
    refused: [...refused],
  })
}

async function readParts(
  kubernetes: Pick<Kubernetes, 'objects'>,
  access: ClusterAccess,
  type: ResourceName,
  root: WorkloadFacts,
  selector: string | null,
): Promise<Result<readonly WorkloadFacts[], ClusterFailure>> {
  const part = PARTS[type]
  if (part === undefined) return ok([])
  const listed = await listObjects(RESOURCES[part].sourceIn(kubernetes), access, selector)
  if (!listed.ok) return listed
  return ok(
    listed.value.items.flatMap(({ workload }) =>
      workload?.controller?.uid === root.uid ? workload : [],
    ),
  )
}

/** Jobs label their pods with their names. `undefined`: there can be no pods. */
function podSelector(
  type: ResourceName,
  parts: readonly WorkloadFacts[],
  selector: string | null,
): string | null | undefined {
  if (type !== 'cronjob') return selector
  const names = newestOf(parts).map(({ name }) => name)
  return names.length === 0 ? undefined : `job-name in (${names.join(',')})`
}

const newestOf = (jobs: readonly WorkloadFacts[]): readonly WorkloadFacts[] =>
  jobs.toSorted((one, other) => other.createdAt.localeCompare(one.createdAt)).slice(0, RUNS_MAX)

const labelSetsOf = (pods: readonly OwnPod[]): readonly PodView['labels'][] => {
  const sets = new Map(pods.map(({ view: { labels } }) => [JSON.stringify(labels), labels]))
  return [...sets.values()].slice(0, LABEL_SETS_MAX)
}

interface OwnPod {
  readonly view: PodView
  readonly facts: PodFacts
  readonly claims: readonly string[]
  readonly pod: NewestPod
  readonly containers: readonly Omit<ContainerResources, 'usage'>[]
}

async function readPods(
  kubernetes: Pick<Kubernetes, 'objects'>,
  access: ClusterAccess,
  owners: ReadonlySet<string>,
  labelSelector: string | null | undefined,
): Promise<Result<readonly OwnPod[], ClusterFailure>> {
  if (labelSelector === undefined) return ok([])
  const collection = kubernetes.objects(RESOURCES.pod)
  const ownPod = (pod: KubernetesPod): OwnPod | null => {
    const facts = podFacts(pod)
    const isOwn = owners.has(facts.controller?.uid ?? '') || owners.has(facts.uid)
    if (!isOwn) return null
    const { volumes = [] } = pod.spec
    const claims = volumes.flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? [])
    const { qosClass = null, conditions = [] } = pod.status ?? {}
    return {
      view: podView(pod),
      facts,
      claims,
      pod: { name: facts.name, qosClass, conditions: conditions.map(conditionView) },
      containers: resourcesOf(pod),
    }
  }
  const read = await readAllPages(PAGES_MAX, (after) =>
    collection.list(access, { limit: PAGE_ITEMS, after, labelSelector }, ownPod),
  )
  return read.ok ? ok(read.value.items.filter((each) => each !== null)) : read
}

const resourcesOf = ({ spec }: KubernetesPod): OwnPod['containers'] =>
  [...(spec.initContainers ?? []), ...spec.containers].map((container) => ({
    name: container.name,
    probes: probesOf(container),
    requests: container.resources?.requests ?? {},
    limits: container.resources?.limits ?? {},
  }))

const newestPod = (pods: readonly OwnPod[]): OwnPod | undefined =>
  pods.toSorted((one, other) => other.view.createdAt.localeCompare(one.view.createdAt))[0]

const eventsOf = (
  uids: ReadonlySet<string>,
  events: readonly KubernetesEvent[],
): readonly DeploymentEvent[] =>
  deploymentEvents(
    events.filter(({ involvedObject }) => uids.has(involvedObject?.uid ?? '')),
  ).slice(-EVENTS_MAX)

/** The routes to any of the services; of kinds that the cluster refuses none is known. */
function routesTo(
  services: Neighbour<'services'>,
  ingresses: readonly Route[] | null,
  httpRoutes: readonly Route[] | null,
): WorkloadDetail['routes'] {
  if (ingresses === null && httpRoutes === null) return null
  const names = new Set(services.map(({ name }) => name))
  return [...(ingresses ?? []), ...(httpRoutes ?? [])]
    .filter((route) => route.services.some((service) => names.has(service)))
    .map(({ kind, name, hosts, tlsHosts }) => ({ kind, name, hosts, tlsHosts }))
}

const templatesOf = (
  { revision: current }: WorkloadFacts,
  templates: Neighbour<'controllerRevisions'>,
): readonly Revision[] =>
  newestFirst(templates.map((each) => ({ ...each, isCurrent: each.name === current })))

const newestFirst = (revisions: readonly Revision[]): readonly Revision[] =>
  revisions.toSorted((one, other) => other.number - one.number).slice(0, REVISIONS_MAX)

const revisionsOf = (
  { revision: current }: WorkloadFacts,
  replicaSets: readonly WorkloadFacts[],
): readonly Revision[] =>
  newestFirst(
    replicaSets.map(({ name, revision, images, createdAt }) => ({
      name,
      number: numberIn(revision),
      images,
      createdAt,
      isCurrent: revision === current,
    })),
  )

/** An annotation, which anybody who may change the object writes. */
function numberIn(revision: string | null): number {
  const number = Number(revision)
  return Number.isSafeInteger(number) && number >= 0 ? number : 0
}

const runsOf = (
  jobs: readonly WorkloadFacts[],
  pods: readonly PodFacts[] | null,
  now: number,
): readonly Workload[] =>
  joinWorkloads({ workloads: newestOf(jobs), pods }, now).toSorted((one, other) =>
    other.createdAt.localeCompare(one.createdAt),
  )
