import { Type } from 'typebox'
import type { Feed } from '../../domain/clusters/feeds.ts'
import type { Followed } from '../../domain/clusters/follow.ts'
import { streamedProblem } from '../../http/problem.ts'
import { eventStream, type SentEvent } from '../../http/sse.ts'

/** What a list shows, as JSON texts, and every change of it, as a stream. */
export const streamFeed = (feed: Feed, stopping: AbortSignal): Response =>
  eventStream((signal) => eventsOf(feed(signal)), { stopping })

async function* eventsOf(changes: ReturnType<Feed>): AsyncGenerator<SentEvent> {
  let seq = 0
  let next = await changes.next()
  for (; next.done !== true; next = await changes.next()) {
    yield { seq: ++seq, event: next.value.kind, data: dataOf(next.value) }
  }
  if (next.value === null) return
  yield { seq: ++seq, event: 'failed', data: JSON.stringify(streamedProblem(next.value)) }
}

const dataOf = (change: Followed): string =>
  change.kind === 'snapshot'
    ? `{"first":${change.first},"last":${change.last},"items":[${change.items.join()}]}`
    : change.item

/** How a feed is documented. */
export const feedContent = (item: string) => ({
  contentType: 'text/event-stream',
  schema: Type.String({
    description: `Events \`snapshot\` (\`{first,last,items}\`: every ${item}, in parts from the \`first\` to the \`last\`; at the beginning, and anew after a gap), \`set\` and \`removed\` (one ${item} each), and \`failed\` (\`{code,title,detail}\`, the last). At most two a second of one ${item}. Ends when your token or your right does; come again then`,
  }),
  example: 'id: 1\nevent: snapshot\ndata: {"first":true,"last":true,"items":[]}\n\n',
})
