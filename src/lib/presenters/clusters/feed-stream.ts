import type { TSchema } from 'typebox'
import type { Feed } from '../../domain/clusters/feed.ts'
import { type FeedEvents, valueOf } from '../../domain/clusters/follow.ts'
import { eventContent } from '../../http/event-content.ts'
import { streamedProblem } from '../../http/problem.ts'
import { StreamedProblem } from '../../http/problem-schema.ts'
import { eventStream, type SentEvent } from '../../http/sse.ts'
import { Snapshot } from './schemas.ts'

export const streamFeed = (feed: Feed<object>, stopping: AbortSignal): Response =>
  eventStream((signal) => render(feed(signal)), { stopping })

async function* render(events: FeedEvents<object>): AsyncGenerator<SentEvent> {
  let seq = 0
  let next = await events.next()
  for (; next.done !== true; next = await events.next()) {
    const { kind } = next.value
    yield { id: ++seq, event: kind, data: JSON.stringify(valueOf(next.value)) }
  }
  if (next.value === null) return
  yield { id: ++seq, event: 'failed', data: JSON.stringify(streamedProblem(next.value)) }
}

/** The OpenAPI description of a feed. */
export const feedContent = (item: string, schema: TSchema & { readonly $id?: string }) =>
  eventContent(
    `${schema.$id}Change`,
    {
      snapshot: Snapshot(schema),
      set: schema,
      removed: schema,
      failed: StreamedProblem,
    },
    {
      description: `The stream begins with the whole list as events \`snapshot\`: the first part has \`first\`, the last part \`last\`. Then come \`set\` and \`removed\`, each with one ${item}, at most two a second for the same ${item}. After a gap a new snapshot replaces the list. A failure is reported by a last event \`failed\`. The stream also ends when your token expires or you lose access; reconnect then`,
      example: 'id: 1\nevent: snapshot\ndata: {"first":true,"last":true,"items":[]}\n\n',
    },
  )
