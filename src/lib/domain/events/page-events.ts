import { createPauses, pause } from '../../concurrency/pauses.ts'
import { merge } from '../../concurrency/merge.ts'
import type { Session, Sessions } from '../access/sessions/sessions.ts'
import { eventId, positionsIn } from './last-event-id.ts'
import type { Topic } from './parse-topics.ts'
import type { TopicCaller, TopicEvent, TopicFailure } from './topic.ts'

/** An event of one of a page's topics. */
export type PageEvent = TopicOutcome & {
  /** Positions of all topics. */
  readonly id: string
}

/** An event of a topic, or its failure: after `failed` another try follows, after `refused` none. */
type TopicOutcome = { readonly topic: Topic } & (
  | { readonly kind: 'event'; readonly event: TopicEvent }
  | { readonly kind: 'refused' | 'failed'; readonly failure: TopicFailure }
)

export interface PageEventsOptions {
  readonly sessions: Pick<Sessions, 'reread'>
  /** Receives exceptions of a topic, which is tried again. */
  readonly onBug: (bug: unknown) => void
  readonly retryFirstMs?: number
}

/** Before a topic is tried again. */
const RETRY_FIRST_MS = 2_000
const RETRY_LONGEST_MS = 30_000

export type PageEvents = ReturnType<typeof createPageEvents>

/** Everything that a page watches, as one sequence of events. Each topic fails and goes on by itself. */
export function createPageEvents({
  sessions,
  onBug,
  retryFirstMs = RETRY_FIRST_MS,
}: PageEventsOptions) {
  /** `undefined` when the session has ended. While it cannot be read its last known state counts. */
  async function current(session: Session): Promise<Session | undefined> {
    try {
      const read = await sessions.reread(session)
      if (read.kind === 'invalid') return undefined
      return read.kind === 'active' ? read.session : session
    } catch (bug) {
      onBug(bug)
      return session
    }
  }

  /** The events of a topic until it is over or refused. */
  async function* follow(
    topic: Topic,
    caller: TopicCaller,
    positions: Map<string, string>,
    signal: AbortSignal,
  ): AsyncGenerator<TopicOutcome, void, void> {
    let { session } = caller
    const pauses = createPauses(retryFirstMs, RETRY_LONGEST_MS)
    let failedWith: string | undefined
    for (;;) {
      const after = positions.get(topic.key) ?? null
      const events = topic.open({ ...caller, session }, after, signal)
      try {
        let next = await events.next()
        for (; next.done !== true; next = await events.next()) {
          if (signal.aborted) return
          pauses.reset()
          failedWith = undefined
          yield { topic, kind: 'event', event: next.value }
        }
        const end = next.value
        if (end.kind === 'over') return
        if (end.kind === 'refused') {
          yield { topic, ...end }
          return
        }
        if (end.kind === 'failed' && failedWith !== end.failure.kind) {
          failedWith = end.failure.kind
          yield { topic, ...end }
        }
      } catch (bug) {
        onBug(bug)
      } finally {
        // Closes it when the reader leaves.
        await events.return({ kind: 'over' })
      }
      await pause(pauses.next(), signal)
      const renewed = signal.aborted ? undefined : await current(session)
      if (renewed === undefined) return
      session = renewed
    }
  }

  return {
    /** Begins after the positions of `lastEventId`. Ends when every topic has, or when `signal` aborts. */
    async *open(
      caller: TopicCaller,
      topics: readonly Topic[],
      lastEventId: string,
      signal: AbortSignal,
    ): AsyncGenerator<PageEvent, void, void> {
      const positions = positionsIn(lastEventId, topics)
      const sources = topics.map((topic) => follow(topic, caller, positions, signal))
      for await (const outcome of merge(sources, signal)) {
        if (outcome.kind === 'event' && outcome.event.position !== undefined) {
          positions.set(outcome.topic.key, outcome.event.position)
        }
        yield { ...outcome, id: eventId(positions) }
      }
    },
  }
}
