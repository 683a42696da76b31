import type { TraceContext } from '../../ports/clusters.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { Session } from '../access/sessions/session.ts'
import type { RequestFacts } from '../audit/audit.ts'
import type { FeedFailure } from '../clusters/feed.ts'
import type { RateLimited } from '../limits/rate-limits.ts'
import type { RunNotFound } from '../runs/runs.ts'
import type { SubjectFailure } from '../promotion/subject.ts'

/** Something that happened to the subject of a topic. */
export interface TopicEvent {
  readonly type: string
  readonly value: unknown
  /**
   * For a client that comes again: the topic then begins after this event. Letters, digits and dashes. A topic without positions begins
   * anew each time.
   */
  readonly position?: string
}

export type TopicFailure =
  | Exclude<FeedFailure, { kind: 'identity_rejected' }>
  | Extract<SubjectFailure, { kind: 'entity_not_found' }>
  | RunNotFound
  | RateLimited
  | DatabaseFailure

export type TopicEnd =
  /** Nothing more will happen, or the signal has aborted. */
  | { readonly kind: 'over' }
  /** The person may not see it, or has too much open. */
  | { readonly kind: 'refused'; readonly failure: TopicFailure }
  /** Another try may succeed, and the client should know that this one did not. */
  | { readonly kind: 'failed'; readonly failure: TopicFailure }
  /** Such as the end of a token: a later try has another one. */
  | { readonly kind: 'interrupted' }

export type TopicEvents = AsyncGenerator<TopicEvent, TopicEnd, void>

/** The person and the request that the events are for. */
export interface TopicCaller extends RequestFacts {
  readonly session: Session
  readonly trace: TraceContext | null
}

/**
 * Begins the events of a topic, after a position that it gave before. Belongs to one stream, and is called again only when the events
 * before have ended: it may remember what it has sent and been admitted to.
 */
export type OpenTopic = (
  caller: TopicCaller,
  after: string | null,
  signal: AbortSignal,
) => TopicEvents

/** The topics whose names begin with the same word. `undefined` when the rest of the name, `null` without a colon, names none. */
export type ParseTopic = (rest: string | null) => OpenTopic | undefined
