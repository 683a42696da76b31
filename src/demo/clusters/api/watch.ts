import { ok } from '../../../lib/result.ts'
import type { Kinds, Resource } from '../objects.ts'
import { type Change, withVersion } from '../collection.ts'
import type { Store } from '../store.ts'
import type { Timeline } from '../timeline.ts'
import type { ListOptions } from './list-options.ts'
import { expired, type Outcome, statusObject } from './refusal.ts'
import type { Representation } from './representation.ts'
import type { Streams } from './streams.ts'

const BOOKMARK_MS = 60_000
const TIMEOUT_SECONDS = 1_800
const TIMEOUT_SECONDS_MAX = 3_600

export interface ClusterParts {
  readonly store: Store
  readonly timeline: Timeline
  readonly streams: Streams
}

export interface WatchRequest<Of extends Resource> {
  readonly resource: Of
  readonly options: ListOptions<Of>
  readonly representation: Representation<Of>
  readonly signal: AbortSignal
}

/** Streams every change since the client's version, one line of JSON each. */
export function watch<Of extends Resource>(
  { store, timeline, streams }: ClusterParts,
  { resource, options, representation, signal }: WatchRequest<Of>,
): Outcome<Response> {
  const { selects, bookmarks, timeoutSeconds = TIMEOUT_SECONDS } = options

  return streams.open('application/json', signal, (writer) => {
    const send = (type: string, object: unknown) =>
      writer.write(`${JSON.stringify({ type, object })}\n`)
    const sendChange = (change: Change<Kinds[Of]>) => {
      const event = eventOf(change, selects)
      if (event !== undefined) send(event.type, representation.event(event.object))
    }
    const sendBookmark = (annotations = {}) => {
      if (bookmarks) send('BOOKMARK', representation.bookmark(store.version, annotations))
    }

    // Bun sends headers with the first piece of the body; JSON parsers skip the white space.
    writer.write('\n')
    const backlog = backlogOf(store, resource, options)
    if (!backlog.ok) {
      send('ERROR', statusObject(backlog.error))
      writer.end()
      return () => {}
    }
    for (const object of backlog.value.objects.filter(selects))
      send('ADDED', representation.event(object))
    for (const change of backlog.value.changes) sendChange(change)
    if (options.initialEvents) sendBookmark({ 'k8s.io/initial-events-end': 'true' })

    let cancelBookmark = timeline.after(BOOKMARK_MS, function nextBookmark() {
      sendBookmark()
      cancelBookmark = timeline.after(BOOKMARK_MS, nextBookmark)
    })
    const seconds = Math.min(timeoutSeconds, TIMEOUT_SECONDS_MAX)
    const cancelTimeout = timeline.after(seconds * 1_000, () => {
      sendBookmark()
      writer.end()
    })
    const unwatch = store.watch(resource, sendChange)
    return () => {
      unwatch()
      cancelBookmark()
      cancelTimeout()
    }
  })
}

interface Backlog<Of extends Resource> {
  readonly objects: readonly Kinds[Of][]
  readonly changes: readonly Change<Kinds[Of]>[]
}

/** Changes that the client has not seen when its watch starts. */
function backlogOf<Of extends Resource>(
  store: Store,
  resource: Of,
  { version, initialEvents }: ListOptions<Of>,
): Outcome<Backlog<Of>> {
  if (typeof version !== 'number' || initialEvents) {
    return ok({ objects: store.list(resource), changes: [] })
  }
  const changes = store.changesSince(resource, version)
  if (changes === undefined)
    return expired(`too old resource version: ${version} (${store.version})`)
  return ok({ objects: [], changes })
}

/** The change as a client sees it that selects some of the objects. */
function eventOf<Kind extends Kinds[Resource]>(
  { type, version, object, previous }: Change<Kind>,
  selects: (object: Kind) => boolean,
): { type: Change['type']; object: Kind } | undefined {
  const wasSelected = previous !== undefined && selects(previous)
  const isSelected = type !== 'DELETED' && selects(object)
  if (isSelected) return { type: wasSelected ? 'MODIFIED' : 'ADDED', object }
  return wasSelected ? { type: 'DELETED', object: withVersion(previous, version) } : undefined
}
