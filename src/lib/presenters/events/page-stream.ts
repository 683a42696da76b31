import type { PageEvent } from '../../domain/events/page-events.ts'
import { streamedProblem } from '../../http/problem.ts'
import type { SentEvent } from '../../http/sse.ts'

/** Renders the events of a page's topics. */
export async function* renderPage(
  events: AsyncIterable<PageEvent>,
): AsyncGenerator<SentEvent, void, void> {
  for await (const told of events) {
    const { type, value } =
      told.kind === 'event' ? told.event : { type: told.kind, value: streamedProblem(told.failure) }
    const { name, kind } = told.topic
    yield { id: told.id, event: kind, data: JSON.stringify({ topic: name, type, value }) }
  }
}
