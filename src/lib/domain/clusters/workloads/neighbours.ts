import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { Subdomain } from '../../../names.ts'
import type {
  ClusterAccess,
  ClusterFailure,
  Kubernetes,
  ObjectType,
} from '../../../ports/clusters.ts'
import {
  KubernetesAutoscaler,
  KubernetesControllerRevision,
  KubernetesDisruptionBudget,
  KubernetesFormerTemplate,
  KubernetesHttpRoute,
  KubernetesIngress,
  KubernetesPodMetrics,
  KubernetesService,
  KubernetesVolumeClaim,
} from '../../../ports/kubernetes-neighbours.ts'
import type { KubernetesSelector } from '../../../ports/kubernetes-objects.ts'
import { ok, type Result } from '../../../result.ts'
import { readAllPages } from '../all-pages.ts'
import { imagesOf } from '../containers.ts'
import type { Part } from './family.ts'
import type { WorkloadFacts } from './workload.ts'

type Labels = Readonly<Record<string, string>>

/** What a neighbour is compared with. */
export interface Surroundings {
  readonly root: Pick<WorkloadFacts, 'kind' | 'name' | 'uid' | 'revision'>
  /** Label sets of its pods; that of its template while there are none. */
  readonly labels: readonly Labels[]
  /** Names of the volume claims of its pods. */
  readonly claims: ReadonlySet<string>
  /** The pod whose usage is read. */
  readonly measured: string | null
}

/** Objects of a type in the namespace, as views; those without one are left out. A cluster that lacks the type has none. */
async function views<Schema extends TSchema, View>(
  kubernetes: Pick<Kubernetes, 'objects'>,
  access: ClusterAccess,
  type: ObjectType<Schema>,
  view: (object: Static<Schema>) => View | null,
): Promise<Result<readonly View[], ClusterFailure>> {
  const collection = kubernetes.objects(type)
  const read = await readAllPages((page) =>
    collection.list(access, { ...page, labelSelector: null }, view),
  )
  if (read.ok) return ok(read.value.items)
  return read.error.kind === 'cluster_object_not_found' ? ok([]) : read
}

const SERVICES = { group: '', version: 'v1', plural: 'services', schema: KubernetesService }
const INGRESSES = {
  group: 'networking.k8s.io',
  version: 'v1',
  plural: 'ingresses',
  schema: KubernetesIngress,
}
const HTTP_ROUTES = {
  group: 'gateway.networking.k8s.io',
  version: 'v1',
  plural: 'httproutes',
  schema: KubernetesHttpRoute,
}
const AUTOSCALERS = {
  group: 'autoscaling',
  version: 'v2',
  plural: 'horizontalpodautoscalers',
  schema: KubernetesAutoscaler,
}
const DISRUPTION_BUDGETS = {
  group: 'policy',
  version: 'v1',
  plural: 'poddisruptionbudgets',
  schema: KubernetesDisruptionBudget,
}
const VOLUME_CLAIMS = {
  group: '',
  version: 'v1',
  plural: 'persistentvolumeclaims',
  schema: KubernetesVolumeClaim,
}
const CONTROLLER_REVISIONS = {
  group: 'apps',
  version: 'v1',
  plural: 'controllerrevisions',
  schema: KubernetesControllerRevision,
}

const POD_METRICS = {
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  plural: 'pods',
  schema: KubernetesPodMetrics,
}
const USAGE_MS = 2_000

/** Kinds whose former templates are objects of their own type; those of a deployment are its replica sets. */
const REVISED: ReadonlySet<string> = new Set(['StatefulSet', 'DaemonSet'])

/** What stands around a workload, each part read for itself; `null` for what `part` finds refused. */
export async function readNeighbours(
  kubernetes: Pick<Kubernetes, 'objects'>,
  access: ClusterAccess,
  around: Surroundings,
  part: Part,
) {
  const { root, claims } = around
  const read = <Schema extends TSchema, View>(
    type: ObjectType<Schema>,
    view: (object: Static<Schema>, around: Surroundings) => View | null,
  ) => views(kubernetes, access, type, (object) => view(object, around))
  const [
    usage,
    services,
    ingresses,
    httpRoutes,
    autoscalers,
    disruptionBudgets,
    volumeClaims,
    templates,
  ] = await Promise.all([
    part('containers', readUsage(kubernetes, access, around)),
    part('services', read(SERVICES, serviceView)),
    part('routes', read(INGRESSES, ingressView)),
    part('routes', read(HTTP_ROUTES, httpRouteView)),
    part('autoscaler', read(AUTOSCALERS, autoscalerView)),
    part('disruptionBudgets', read(DISRUPTION_BUDGETS, budgetView)),
    part('volumeClaims', claims.size === 0 ? ok([]) : read(VOLUME_CLAIMS, claimView)),
    part('revisions', REVISED.has(root.kind) ? read(CONTROLLER_REVISIONS, revisionView) : ok([])),
  ])
  return {
    usage,
    services,
    routes: services && routesTo(services, ingresses, httpRoutes),
    autoscaler: autoscalers?.[0] ?? null,
    disruptionBudgets,
    volumeClaims,
    templates,
  }
}

/** Usage by container. Fails only where the person has no right to it: this API may be missing, or be down for itself. */
async function readUsage(
  kubernetes: Pick<Kubernetes, 'objects'>,
  access: ClusterAccess,
  { measured }: Surroundings,
): Promise<Result<ReadonlyMap<string, Readonly<Record<string, string>>>, ClusterFailure>> {
  const name = Subdomain.parse(measured)
  if (name === undefined) return ok(new Map())
  const signal = AbortSignal.any([access.signal, AbortSignal.timeout(USAGE_MS)])
  const metrics = await kubernetes.objects(POD_METRICS).read({ ...access, signal }, name)
  if (metrics.ok)
    return ok(new Map(metrics.value.containers.map((each) => [each.name, each.usage])))
  return metrics.error.kind === 'cluster_forbidden' ? metrics : ok(new Map())
}

function serviceView({ metadata, spec }: KubernetesService, { labels }: Surroundings) {
  const { selector = {}, ports = [], type = 'ClusterIP' } = spec
  // A service without a selector has endpoints that somebody else writes.
  const terms = Object.entries(selector)
  const isMeant =
    terms.length > 0 && labels.some((own) => terms.every(([key, value]) => own[key] === value))
  if (!isMeant) return null
  return {
    name: metadata.name,
    type,
    ports: ports.map(({ name, port, protocol = 'TCP', targetPort = port }) => ({
      name: name ?? null,
      port,
      protocol,
      targetPort: String(targetPort),
    })),
  }
}

interface Route {
  readonly kind: 'Ingress' | 'HTTPRoute'
  readonly name: string
  readonly hosts: readonly string[]
  /** Hosts with TLS; `null` where the gateway decides. */
  readonly tlsHosts: readonly string[] | null
  /** Names of the services that it leads to. */
  readonly services: readonly string[]
}

/** The routes to any of the services; of kinds that the cluster refuses none is known. */
function routesTo(
  services: readonly { readonly name: string }[],
  ingresses: readonly Route[] | null,
  httpRoutes: readonly Route[] | null,
): readonly Omit<Route, 'services'>[] | null {
  if (ingresses === null && httpRoutes === null) return null
  const names = new Set(services.map(({ name }) => name))
  return [...(ingresses ?? []), ...(httpRoutes ?? [])]
    .filter((route) => route.services.some((service) => names.has(service)))
    .map(({ kind, name, hosts, tlsHosts }) => ({ kind, name, hosts, tlsHosts }))
}

function ingressView({ metadata, spec }: KubernetesIngress): Route {
  const { rules = [], tls = [], defaultBackend } = spec
  const backends = [
    defaultBackend,
    ...rules.flatMap(({ http }) => http?.paths.map(({ backend }) => backend) ?? []),
  ]
  return {
    kind: 'Ingress',
    name: metadata.name,
    hosts: [...new Set(rules.flatMap(({ host }) => host ?? []))],
    tlsHosts: tls.flatMap(({ hosts = [] }) => hosts),
    services: backends.flatMap((backend) => backend?.service?.name ?? []),
  }
}

function httpRouteView({ metadata, spec }: KubernetesHttpRoute): Route {
  const { hostnames = [], rules = [] } = spec
  const backends = rules.flatMap(({ backendRefs = [] }) => backendRefs)
  return {
    kind: 'HTTPRoute',
    name: metadata.name,
    hosts: [...new Set(hostnames)],
    tlsHosts: null,
    services: backends.flatMap(({ kind = 'Service', name, namespace = metadata.namespace }) =>
      kind === 'Service' && namespace === metadata.namespace ? name : [],
    ),
  }
}

function autoscalerView(
  { metadata, spec, status = {} }: KubernetesAutoscaler,
  { root }: Surroundings,
) {
  const { kind, name } = spec.scaleTargetRef
  if (kind !== root.kind || name !== root.name) return null
  const troubled = status.conditions?.find(({ type, status: holds }) =>
    type === 'ScalingLimited' ? holds === 'True' : holds === 'False',
  )
  return {
    name: metadata.name,
    minReplicas: spec.minReplicas ?? 1,
    maxReplicas: spec.maxReplicas,
    currentReplicas: status.currentReplicas ?? null,
    desiredReplicas: status.desiredReplicas ?? null,
    message: troubled?.message ?? null,
  }
}

function budgetView(
  { metadata, spec, status = {} }: KubernetesDisruptionBudget,
  { labels }: Surroundings,
) {
  const { selector, minAvailable, maxUnavailable } = spec
  if (selector === undefined || !labels.some((own) => selects(selector, own))) return null
  return {
    name: metadata.name,
    minAvailable: minAvailable === undefined ? null : String(minAvailable),
    maxUnavailable: maxUnavailable === undefined ? null : String(maxUnavailable),
    disruptionsAllowed: status.disruptionsAllowed ?? 0,
    currentHealthy: status.currentHealthy ?? 0,
    desiredHealthy: status.desiredHealthy ?? 0,
  }
}

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors */
export const selects = (
  { matchLabels = {}, matchExpressions = [] }: KubernetesSelector,
  labels: Labels,
): boolean =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every(({ key, operator, values = [] }) => {
    const value = labels[key]
    switch (operator) {
      case 'Exists':
        return value !== undefined
      case 'DoesNotExist':
        return value === undefined
      case 'NotIn':
        return value === undefined || !values.includes(value)
      default:
        return value !== undefined && values.includes(value)
    }
  })

function claimView(
  { metadata, spec, status = {} }: KubernetesVolumeClaim,
  { claims }: Surroundings,
) {
  if (!claims.has(metadata.name)) return null
  return {
    name: metadata.name,
    phase: status.phase ?? null,
    capacity: status.capacity?.['storage'] ?? null,
    storageClass: spec.storageClassName ?? null,
  }
}

/** A template that the workload has or had. */
export interface Revision {
  readonly name: string
  readonly number: number
  readonly images: readonly string[]
  readonly createdAt: string
  readonly isCurrent: boolean
}

function revisionView(
  { metadata, revision, data }: KubernetesControllerRevision,
  { root }: Surroundings,
): Revision | null {
  const isOwn = metadata.ownerReferences?.some(({ uid }) => uid === root.uid) ?? false
  if (!isOwn) return null
  return {
    name: metadata.name,
    number: revision,
    images: Value.Check(KubernetesFormerTemplate, data)
      ? imagesOf(data.spec.template.spec.containers)
      : [],
    createdAt: metadata.creationTimestamp,
    isCurrent: metadata.name === root.revision,
  }
}
