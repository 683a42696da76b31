import type { KubernetesEvent } from '../../ports/kubernetes-objects.ts'

export type PodEvent = ReturnType<typeof podEventOf>
export type DeploymentEvent = ReturnType<typeof deploymentEventOf>

/** Newest last, as `kubectl describe` prints them. */
const newestLast = (one: PodEvent, other: PodEvent): number => lastSeenMs(one) - lastSeenMs(other)

export const podEvents = (events: readonly KubernetesEvent[]): readonly PodEvent[] =>
  events.map(podEventOf).toSorted(newestLast)

export const deploymentEvents = (events: readonly KubernetesEvent[]): readonly DeploymentEvent[] =>
  events.map(deploymentEventOf).toSorted(newestLast)

/** With the object that it is about: the deployment, a replica set or a pod. */
const deploymentEventOf = (event: KubernetesEvent) => ({
  ...podEventOf(event),
  object: {
    kind: event.involvedObject?.kind || null,
    name: event.involvedObject?.name || null,
  },
})

/** Path of a container in its pod, e.g. `spec.initContainers{migrate}`. */
const CONTAINER = /^spec\.(?:c|initC|ephemeralC)ontainers\{([^}]+)\}$/

/** Old recorders count in the event itself; new ones have an `eventTime` and, once it repeats, a series. */
function podEventOf(event: KubernetesEvent) {
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

const lastSeenMs = ({ lastSeenAt }: PodEvent): number => Date.parse(lastSeenAt ?? '') || 0
