import type { KubernetesEvent } from '../../ports/kubernetes-objects.ts'

/** What an answer says of an event, with how often and how long it happened. */
export interface PodEvent {
  readonly type: string | null
  readonly reason: string | null
  readonly message: string | null
  readonly count: number
  readonly firstSeenAt: string | null
  readonly lastSeenAt: string | null
  /** The component that saw it, e.g. `kubelet`. */
  readonly source: string | null
}

/** Newest last, as `kubectl describe` prints them. */
export const podEvents = (objects: readonly KubernetesEvent[]): readonly PodEvent[] =>
  objects.map(podEventOf).toSorted((one, other) => lastSeenMs(one) - lastSeenMs(other))

/** Old recorders count in the event itself; new ones have an `eventTime` and, once it repeats, a series. */
function podEventOf(event: KubernetesEvent): PodEvent {
  const { series, source, metadata } = event
  const firstSeenAt = event.eventTime || event.firstTimestamp || metadata.creationTimestamp || null
  return {
    type: event.type || null,
    reason: event.reason || null,
    message: event.message?.trim() || null,
    count: series?.count || event.count || 1,
    firstSeenAt,
    lastSeenAt: series?.lastObservedTime || event.lastTimestamp || firstSeenAt,
    source: source?.component || event.reportingComponent || null,
  }
}

const lastSeenMs = ({ lastSeenAt }: PodEvent): number => Date.parse(lastSeenAt ?? '') || 0
