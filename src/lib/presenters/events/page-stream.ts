import type { PageEvent } from '../../domain/events/page-events.ts'
import { streamedProblem } from '../../http/problem.ts'
import type { SentEvent } from '../../http/sse.ts'

/** Renders the events of a page's topics. */
export async function* renderPage(
  events: AsyncIterable<PageEvent>,
): AsyncGenerator<SentEvent, void, void> {
  for await (const { id, topic, ...outcome } of events) {
    const { type, value } =
      outcome.kind === 'event'
        ? outcome.event
        : { type: outcome.kind, value: streamedProblem(outcome.failure) }
    yield { id, event: topic.kind, data: JSON.stringify({ topic: topic.name, type, value }) }
  }
}
