import type { Subdomain } from '../../names.ts'
import type { ClusterAccess, ClusterFailure, Kubernetes } from '../../ports/clusters.ts'
import type { KubernetesEvent, KubernetesPod } from '../../ports/kubernetes-objects.ts'
import { err, ok, type Result } from '../../result.ts'
import { readAllPages, withReadDeadline } from './all-pages.ts'
import { RESOURCES } from './resources.ts'
import { readFamily, uidsOf } from './workloads/family.ts'

export type PodEvent = ReturnType<typeof podEvent>
export type ObjectEvent = ReturnType<typeof objectEvent>

/** Events of one answer, the newest. Clusters keep events for about an hour and count repetitions. */
const EVENTS_MAX = 5_000
/** A namespace may have many more than one answer shows, in any order. */
const EVENT_PAGES_MAX = 50

/** Annotation of a static pod: its kubelet reports events with this uid instead of the pod's. */
const MIRROR = 'kubernetes.io/config.mirror'

/**
 * The events of the pod that now has this name, as `kubectl describe pod` finds them. For a pod that is gone those of its name, so
 * that people can read why it went.
 */
export async function readPodEvents(
  kubernetes: Pick<Kubernetes, 'objects' | 'events'>,
  given: ClusterAccess,
  name: Subdomain,
): Promise<Result<readonly PodEvent[], ClusterFailure>> {
  const access = withReadDeadline(given)
  const pod = await kubernetes.objects(RESOURCES.pod).read(access, name)
  if (!pod.ok && pod.error.kind !== 'cluster_object_not_found') return pod
  const about = { kind: 'Pod', name, uid: pod.ok ? eventUidOf(pod.value) : null } as const
  const events = await readAllPages(
    (page) => kubernetes.events(access, about, page, podEvent),
    EVENT_PAGES_MAX,
  )
  return events.ok ? ok(newestLast(events.value.items, EVENTS_MAX)) : events
}

const eventUidOf = ({ metadata }: KubernetesPod): string =>
  metadata.annotations?.[MIRROR] ?? metadata.uid

/**
 * The events of a deployment, of its replica sets and of its pods. `kubectl describe deployment` shows its own events alone; those of the
 * others say why pods cannot be created, scheduled or started.
 */
export async function readDeploymentEvents(
  kubernetes: Pick<Kubernetes, 'objects' | 'events'>,
  given: ClusterAccess,
  name: Subdomain,
): Promise<
  Result<readonly ObjectEvent[], ClusterFailure | { readonly kind: 'deployment_not_found' }>
> {
  const access = withReadDeadline(given)
  const family = await readFamily(kubernetes, access, { type: 'deployment', name })
  if (!family.ok) {
    return family.error.kind === 'workload_not_found'
      ? err({ kind: 'deployment_not_found' })
      : err(family.error)
  }
  const { parts, pods } = family.value
  if (!parts.ok) return parts
  if (!pods.ok) return pods
  return readEventsOf(kubernetes, access, uidsOf(family.value), EVENTS_MAX)
}

/** The newest events of the namespace that are about any of these objects. */
export async function readEventsOf(
  kubernetes: Pick<Kubernetes, 'events'>,
  access: ClusterAccess,
  uids: ReadonlySet<string>,
  max: number,
): Promise<Result<readonly ObjectEvent[], ClusterFailure>> {
  const view = (event: KubernetesEvent) =>
    uids.has(event.involvedObject?.uid ?? '') ? objectEvent(event) : null
  const events = await readAllPages(
    (page) => kubernetes.events(access, null, page, view),
    EVENT_PAGES_MAX,
  )
  return events.ok ? ok(newestLast(events.value.items, max)) : events
}

/** As `kubectl describe` prints them. */
export const newestLast = <Event extends PodEvent>(
  events: readonly Event[],
  max: number,
): readonly Event[] =>
  events.toSorted((one, other) => lastSeenMs(one) - lastSeenMs(other)).slice(-max)

const lastSeenMs = ({ lastSeenAt }: PodEvent): number => Date.parse(lastSeenAt ?? '') || 0

/** With the object that it is about: a workload, what it makes, or a pod. */
const objectEvent = (event: KubernetesEvent) => ({
  ...podEvent(event),
  object: {
    kind: event.involvedObject?.kind || null,
    name: event.involvedObject?.name || null,
  },
})

/** Path of a container in its pod, e.g. `spec.initContainers{migrate}`. */
const CONTAINER = /^spec\.(?:c|initC|ephemeralC)ontainers\{([^}]+)\}$/

/** Old recorders count in the event itself; new ones have an `eventTime` and, once it repeats, a series. */
export function podEvent(event: KubernetesEvent) {
  const { series, source, metadata } = event
  const firstSeenAt = event.eventTime || event.firstTimestamp || metadata.creationTimestamp || null
  return {
    type: event.type || null,
    reason: event.reason || null,
    message: event.message?.trim() || null,
    count: series?.count || event.count || 1,
    firstSeenAt,
    lastSeenAt: series?.lastObservedTime || event.lastTimestamp || firstSeenAt,
    container: CONTAINER.exec(event.involvedObject?.fieldPath ?? '')?.[1] ?? null,
    source: source?.component || event.reportingComponent || null,
  }
}
