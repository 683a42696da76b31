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
  readonly form: Representation<Of>
  readonly signal: AbortSignal
}

/** Every change from where the client says on, one line of JSON each. */
export function watch<Of extends Resource>(
  { store, timeline, streams }: ClusterParts,
  { resource, options, form, signal }: WatchRequest<Of>,
): Outcome<Response> {
  const { selects, bookmarks, timeoutSeconds = TIMEOUT_SECONDS } = options

  return streams.open('application/json', signal, (lines) => {
    const send = (type: string, object: unknown) =>
      lines.write(`${JSON.stringify({ type, object })}\n`)
    const pass = (change: Change<Kinds[Of]>) => {
      const event = eventOf(change, selects)
      if (event !== undefined) send(event.type, form.event(event.object))
    }
    const mark = (annotations = {}) => {
      if (bookmarks) send('BOOKMARK', form.bookmark(store.version, annotations))
    }

    // The server sends its headers with the first piece of the body; whoever reads JSON skips white space.
    lines.write('\n')
    const past = pastOf(store, resource, options)
    if (!past.ok) {
      // Too late for an answer of its own: this is how API servers say it.
      send('ERROR', statusObject(past.error))
      lines.end()
      return () => {}
    }
    for (const object of past.value.objects.filter(selects)) send('ADDED', form.event(object))
    for (const change of past.value.changes) pass(change)
    if (options.initialEvents) mark({ 'k8s.io/initial-events-end': 'true' })

    let forgetMark = timeline.after(BOOKMARK_MS, function markAgain() {
      mark()
      forgetMark = timeline.after(BOOKMARK_MS, markAgain)
    })
    const seconds = Math.min(timeoutSeconds, TIMEOUT_SECONDS_MAX)
    const forgetEnd = timeline.after(seconds * 1_000, () => {
      mark()
      lines.end()
    })
    const unwatch = store.watch(resource, pass)
    return () => {
      unwatch()
      forgetMark()
      forgetEnd()
    }
  })
}

interface Past<Of extends Resource> {
  readonly objects: readonly Kinds[Of][]
  readonly changes: readonly Change<Kinds[Of]>[]
}

function pastOf<Of extends Resource>(
  store: Store,
  resource: Of,
  { version, initialEvents }: ListOptions<Of>,
): Outcome<Past<Of>> {
  if (typeof version !== 'number' || initialEvents) {
    return ok({ objects: store.list(resource), changes: [] })
  }
  const changes = store.changesSince(resource, version)
  if (changes === undefined)
    return expired(`too old resource version: ${version} (${store.version})`)
  return ok({ objects: [], changes })
}

/** What the change is to somebody who sees only what is selected. */
function eventOf<Kind extends Kinds[Resource]>(
  { type, version, object, previous }: Change<Kind>,
  isShown: (object: Kind) => boolean,
): { type: Change['type']; object: Kind } | undefined {
  const wasShown = previous !== undefined && isShown(previous)
  const isNowShown = type !== 'DELETED' && isShown(object)
  if (isNowShown) return { type: wasShown ? 'MODIFIED' : 'ADDED', object }
  return wasShown ? { type: 'DELETED', object: withVersion(previous, version) } : undefined
}
