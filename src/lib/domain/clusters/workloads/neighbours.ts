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

/** A workload and the labels of its pods, which neighbours are compared with. */
export interface Surroundings {
  readonly root: Pick<WorkloadFacts, 'kind' | 'name' | 'uid' | 'revision'>
  /** Label sets of its pods; that of its template while there are none. */
  readonly labels: readonly Labels[]
  /** Names of the volume claims of its pods. */
  readonly claims: ReadonlySet<string>
  /** The pod whose usage is read. */
  readonly measured: string | null
}

/** `apiVersion` as objects have it: the core group has no name. */
function typeOf<Schema extends TSchema>(apiVersion: string, plural: string, schema: Schema) {
  const [version = '', group = ''] = apiVersion.split('/').toReversed()
  return { group, version, plural, schema }
}

const SERVICES = typeOf('v1', 'services', KubernetesService)
const INGRESSES = typeOf('networking.k8s.io/v1', 'ingresses', KubernetesIngress)
const HTTP_ROUTES = typeOf('gateway.networking.k8s.io/v1', 'httproutes', KubernetesHttpRoute)
const AUTOSCALERS = typeOf('autoscaling/v2', 'horizontalpodautoscalers', KubernetesAutoscaler)
const BUDGETS = typeOf('policy/v1', 'poddisruptionbudgets', KubernetesDisruptionBudget)
const VOLUME_CLAIMS = typeOf('v1', 'persistentvolumeclaims', KubernetesVolumeClaim)
const REVISIONS = typeOf('apps/v1', 'controllerrevisions', KubernetesControllerRevision)
const POD_METRICS = typeOf('metrics.k8s.io/v1beta1', 'pods', KubernetesPodMetrics)
const USAGE_MS = 2_000

/** Kinds whose former templates are objects of their own type; those of a deployment are its replica sets. */
const REVISED: ReadonlySet<string> = new Set(['StatefulSet', 'DaemonSet'])

/** Services, routes, autoscalers and the like of a workload, each kind read for itself; `null` for a kind that `part` finds refused. */
export async function readNeighbours(
  kubernetes: Pick<Kubernetes, 'objects'>,
  access: ClusterAccess,
  around: Surroundings,
  part: Part,
) {
  const { root, claims } = around
  /** Objects of a type in the namespace, as views; those without one are left out. A cluster that lacks the type has none. */
  async function read<Schema extends TSchema, View>(
    type: ObjectType<Schema>,
    view: (object: Static<Schema>, around: Surroundings) => View | null,
  ): Promise<Result<readonly View[], ClusterFailure>> {
    const collection = kubernetes.objects(type)
    const found = await readAllPages((page) =>
      collection.list(access, { ...page, labelSelector: null }, (object) => view(object, around)),
    )
    if (found.ok) return ok(found.value.items)
    return found.error.kind === 'cluster_object_not_found' ? ok([]) : found
  }
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
    part('disruptionBudgets', read(BUDGETS, budgetView)),
    part('volumeClaims', claims.size === 0 ? ok([]) : read(VOLUME_CLAIMS, claimView)),
    part('revisions', REVISED.has(root.kind) ? read(REVISIONS, revisionView) : ok([])),
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
