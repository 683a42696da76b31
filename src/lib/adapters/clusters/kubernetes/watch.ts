import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { parseJson } from '../../../text/json.ts'
import type { ClusterFailure, Watch, WatchChange, WatchStart } from '../../../ports/clusters.ts'
import { err, ok, type Result } from '../../../result.ts'
import { connectionFailure } from './connection-failure.ts'
import { LineTooLong, linesOf } from './lines.ts'
import type { Kind } from './objects.ts'
import { open, type Sender } from './request.ts'
import { watchFailure } from './status-failure.ts'

/** How long the API server keeps a watch open; it is begun again where it ended. */
const WATCH_SECONDS = 240
/** A connection that died without a word is not waited for much longer than that. */
const WATCH_DEADLINE_MS = (WATCH_SECONDS + 30) * 1000

const Line = Compile(Type.Object({ type: Type.String(), object: Type.Unknown() }))
const Versioned = Compile(
  Type.Object({ metadata: Type.Object({ resourceVersion: Type.String() }) }),
)
const UNREADABLE = { kind: 'cluster_error', reason: 'a line of a watch cannot be read' } as const

export interface WatchRequest<Item> {
  readonly path: string
  readonly kind: Kind<Item>
  readonly from: WatchStart
}

/** Changes of one kind of object (Kubernetes API concepts, "Efficient detection of changes"). */
export async function* watch<Item>(
  sender: Sender,
  { path, kind, from: { resourceVersion, labelSelector } }: WatchRequest<Item>,
): Watch<Item> {
  const query = new URLSearchParams({
    watch: 'true',
    allowWatchBookmarks: 'true',
    timeoutSeconds: String(WATCH_SECONDS),
    resourceVersion,
  })
  if (labelSelector !== null) query.set('labelSelector', labelSelector)
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
      const change = changeOf(line, kind)
      if (change === null) continue
      yield change
      if (!change.ok) return
    }
  } catch (error) {
    if (sender.signal.aborted) return
    yield err(error instanceof LineTooLong ? UNREADABLE : connectionFailure(error))
  }
}

/** `null`: a kind of change that came after us. */
function changeOf<Item>(
  line: string,
  kind: Kind<Item>,
): Result<WatchChange<Item>, ClusterFailure> | null {
  const event = parseJson(line)
  if (!Line.Check(event)) return err(UNREADABLE)
  const { type, object } = event
  if (type === 'ERROR') return err(watchFailure(object))
  if (!Versioned.Check(object)) return err(UNREADABLE)
  const { resourceVersion } = object.metadata
  if (type === 'BOOKMARK') return ok({ kind: 'bookmark', resourceVersion })
  const change = CHANGES.get(type)
  if (change === undefined) return null
  return kind.is(object) ? ok({ kind: change, item: object, resourceVersion }) : err(UNREADABLE)
}

const CHANGES: ReadonlyMap<string, 'set' | 'removed'> = new Map([
  ['ADDED', 'set'],
  ['MODIFIED', 'set'],
  ['DELETED', 'removed'],
])
