import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { lazily } from '../../../concurrency/lazily.ts'
import type { Subdomain } from '../../../names.ts'
import type { ClusterFailure, Watch, WatchChange, WatchStart } from '../../../ports/clusters.ts'
import { err, ok, type Result } from '../../../result.ts'
import { parseJson } from '../../../text/json.ts'
import { LineTooLong, linesOf } from './lines.ts'
import type { Kind } from './objects.ts'
import { open, type Sender } from './request.ts'
import { connectionFailure, watchFailure } from './failures.ts'

/** The API server checks the right to a watch when it begins: one that is withdrawn ends it after this time. */
const WATCH_SECONDS = 50
/** Ends a watch whose connection died silently. */
const WATCH_DEADLINE_MS = (WATCH_SECONDS + 30) * 1000

const WatchEvent = lazily(() =>
  Compile(Type.Object({ type: Type.String(), object: Type.Unknown() })),
)
const Versioned = lazily(() =>
  Compile(Type.Object({ metadata: Type.Object({ resourceVersion: Type.String() }) })),
)
const UNREADABLE = { kind: 'cluster_error', reason: 'a line of a watch cannot be read' } as const

/** A field selector for one object. */
export const nameSelector = (name: Subdomain): string => `metadata.name=${name}`

export interface WatchRequest<Item, View> {
  readonly path: string
  readonly kind: Kind<Item>
  readonly from: WatchStart
  readonly view: (item: Item) => View
}

/** Kubernetes API concepts, "Efficient detection of changes". */
export async function* watch<Item, View>(
  sender: Sender,
  { path, kind, from: { resourceVersion, labelSelector, name }, view }: WatchRequest<Item, View>,
): Watch<View> {
  const query = {
    watch: true,
    allowWatchBookmarks: true,
    timeoutSeconds: WATCH_SECONDS,
    resourceVersion,
    labelSelector,
    fieldSelector: name === undefined ? null : nameSelector(name),
  }
  const signal = AbortSignal.any([sender.signal, AbortSignal.timeout(WATCH_DEADLINE_MS)])
  const opened = await open({ ...sender, signal }, { path, query })
  if (!opened.ok) {
    yield opened
    return
  }
  const { body } = opened.value
  if (body === null) return
  try {
    for await (const line of linesOf(body)) {
      const change = parseChange(line, kind, view)
      if (change === null) continue
      yield change
      if (!change.ok) return
    }
  } catch (error) {
    if (sender.signal.aborted) return
    yield err(error instanceof LineTooLong ? UNREADABLE : connectionFailure(error))
  }
}

/** `null` for an event type that this version does not know. */
function parseChange<Item, View>(
  line: string,
  kind: Kind<Item>,
  view: (item: Item) => View,
): Result<WatchChange<View>, ClusterFailure> | null {
  const event = parseJson(line)
  if (!WatchEvent().Check(event)) return err(UNREADABLE)
  const { type, object } = event
  if (type === 'ERROR') return err(watchFailure(object))
  if (!Versioned().Check(object)) return err(UNREADABLE)
  const { resourceVersion } = object.metadata
  if (type === 'BOOKMARK') return ok({ kind: 'bookmark', resourceVersion })
  const change = CHANGES.get(type)
  if (change === undefined) return null
  if (!kind.is(object)) return err(UNREADABLE)
  return ok({ kind: change, item: view(object), resourceVersion, bytes: Buffer.byteLength(line) })
}

const CHANGES: ReadonlyMap<string, 'set' | 'removed'> = new Map([
  ['ADDED', 'set'],
  ['MODIFIED', 'set'],
  ['DELETED', 'removed'],
])
