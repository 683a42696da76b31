import type { KubernetesEvent } from '../../ports/kubernetes-objects.ts'

export type PodEvent = ReturnType<typeof podEventOf>

/** Newest last, as `kubectl describe` prints them. */
export const podEvents = (events: readonly KubernetesEvent[]): readonly PodEvent[] =>
  events.map(podEventOf).toSorted((one, other) => lastSeenMs(one) - lastSeenMs(other))

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
