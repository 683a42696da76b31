import { Type } from 'typebox'
import type { Feed } from '../../domain/clusters/feed.ts'
import type { FeedEvents } from '../../domain/clusters/follow.ts'
import { streamedProblem } from '../../http/problem.ts'
import { eventStream, type SentEvent } from '../../http/sse.ts'

export const streamFeed = (feed: Feed<object>, stopping: AbortSignal): Response =>
  eventStream((signal) => render(feed(signal)), { stopping })

async function* render(events: FeedEvents<object>): AsyncGenerator<SentEvent> {
  let seq = 0
  let next = await events.next()
  for (; next.done !== true; next = await events.next()) {
    const { kind, ...event } = next.value
    yield { seq: ++seq, event: kind, data: JSON.stringify('item' in event ? event.item : event) }
  }
  if (next.value === null) return
  yield { seq: ++seq, event: 'failed', data: JSON.stringify(streamedProblem(next.value)) }
}

/** The OpenAPI description of a feed. */
export const feedContent = (item: string) => ({
  contentType: 'text/event-stream',
  schema: Type.String({
    description: `The stream begins with the whole list as events \`snapshot\` (\`{first,last,items}\`): the first part has \`first\`, the last part \`last\`. Then come \`set\` and \`removed\`, each with one ${item}, at most two a second for the same ${item}. After a gap a new snapshot replaces the list. A failure is reported by a last event \`failed\` (\`{code,title,detail}\`). The stream also ends when your token expires or you lose access; reconnect then`,
  }),
  example: 'id: 1\nevent: snapshot\ndata: {"first":true,"last":true,"items":[]}\n\n',
})
