import { Type } from 'typebox'
import type { Feed } from '../domain/clusters/feeds.ts'
import { told } from './problem.ts'
import { eventStream, type SentEvent } from './sse.ts'

/** What a list shows and every change of it, as a stream. */
export const streamFeed = (feed: Feed<object>, stopping: AbortSignal): Response =>
  eventStream((signal) => eventsOf(feed(signal)), { stopping })

async function* eventsOf(changes: ReturnType<Feed<object>>): AsyncGenerator<SentEvent> {
  let seq = 0
  let next = await changes.next()
  for (; next.done !== true; next = await changes.next()) {
    const change = next.value
    const data = change.kind === 'snapshot' ? change.items : change.item
    yield { seq: ++seq, event: change.kind, data: JSON.stringify(data) }
  }
  if (next.value === null) return
  yield { seq: ++seq, event: 'failed', data: JSON.stringify(told(next.value)) }
}

/** How a feed is documented. */
export const feedContent = (item: string) => ({
  contentType: 'text/event-stream',
  schema: Type.String({
    description: `Events \`snapshot\` (every ${item}; first, and again after a gap), \`set\` and \`removed\` (one ${item} each), and \`failed\` (\`{code,title,detail}\`, the last). At most two a second of one ${item}. Ends when your token does; come again then`,
  }),
  example: 'id: 1\nevent: snapshot\ndata: []\n\n',
})
