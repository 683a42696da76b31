import {
  type ClusterEvent,
  type Deployment,
  newMetadata,
  type Pod,
  type ReplicaSet,
  timestamp,
} from '../objects.ts'
import type { Store } from '../store.ts'
import type { Timeline } from '../timeline.ts'
import { hex } from './hash.ts'

/** Default of the API server's `--event-ttl`. */
const EVENT_MS = 3_600_000
const EVENTS_MAX = 400
/** Events kept when there are too many. Lower than the maximum, as finding the oldest events costs a sort. */
const EVENTS_LEFT = 300
const SWEEP_MS = 300_000

export interface EventNote {
  readonly about: Pod | Deployment | ReplicaSet
  /** Field of `about`, e.g. `spec.containers{web}`. */
  readonly fieldPath?: string
  readonly type?: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  readonly component: string
  readonly host?: string
}

export interface EventRecorder {
  record(note: EventNote): void
  /** Removes expired events now and then periodically. */
  sweep(): void
}

const lastSeen = (event: ClusterEvent) => Date.parse(event.lastTimestamp ?? '')

export function createEventRecorder(store: Store, timeline: Timeline): EventRecorder {
  let count = 0
  store.watch('events', ({ type }) => {
    if (type === 'ADDED') count += 1
    if (type === 'DELETED') count -= 1
  })

  function removeAll(events: readonly ClusterEvent[]): void {
    for (const { metadata } of events) store.remove('events', metadata)
  }

  return {
    record(note) {
      const { name, namespace, uid } = note.about.metadata
      const key = hex([uid, note.fieldPath, note.reason, note.message].join('\n')).slice(0, 16)
      const before = store.get('events', { namespace, name: `${name}.${key}` })
      const now = timeline.now()
      store.put('events', {
        ...(before ?? toEvent(note, `${name}.${key}`, now)),
        count: (before?.count ?? 0) + 1,
        lastTimestamp: timestamp(now),
      })
      if (count <= EVENTS_MAX) return
      const byAge = store.list('events').toSorted((a, b) => lastSeen(a) - lastSeen(b))
      removeAll(byAge.slice(0, -EVENTS_LEFT))
    },
    sweep: function sweep() {
      const oldest = timeline.now() - EVENT_MS
      removeAll(store.list('events').filter((event) => lastSeen(event) < oldest))
      timeline.after(SWEEP_MS, sweep)
    },
  }
}

function toEvent(note: EventNote, name: string, now: number): ClusterEvent {
  const { about, fieldPath, component, host } = note
  const { namespace, uid, resourceVersion } = about.metadata
  const { generation: _, ...metadata } = newMetadata(name, namespace, now)
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata,
    involvedObject: {
      kind: about.kind,
      apiVersion: about.apiVersion,
      namespace,
      name: about.metadata.name,
      uid,
      resourceVersion,
      ...(fieldPath !== undefined && { fieldPath }),
    },
    type: note.type ?? 'Normal',
    reason: note.reason,
    message: note.message,
    firstTimestamp: timestamp(now),
    lastTimestamp: timestamp(now),
    count: 1,
    eventTime: null,
    source: { component, ...(host !== undefined && { host }) },
    reportingComponent: component,
    reportingInstance: host ?? '',
  }
}
