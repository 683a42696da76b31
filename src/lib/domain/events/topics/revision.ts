import type { LatestState } from '../../../concurrency/latest-state.ts'
import { positionOf } from '../last-event-id.ts'
import type { TopicEvents, TopicFailure } from '../topic.ts'

export interface RevisionOptions<State> {
  /** The revision of a part of the state, which changes less often. */
  readonly revisionOf: (state: State) => string
  /** Why the first state refuses the topic. */
  readonly refusal?: (first: State) => TopicFailure | undefined
  readonly after: string | null
  readonly signal: AbortSignal
}

/** `changed` with the revision, and again with each later one. The first is left out for a client that has it. */
export async function* revisions<State>(
  states: LatestState<State>,
  { revisionOf, refusal, after, signal }: RevisionOptions<State>,
): TopicEvents {
  let last = after
  let isFirst = true
  for await (const state of states.follow(signal)) {
    const failure = isFirst ? refusal?.(state) : undefined
    if (failure !== undefined) return { kind: 'refused', failure }
    isFirst = false
    const revision = revisionOf(state)
    const position = positionOf(revision)
    if (position === last) continue
    last = position
    yield { type: 'changed', value: { revision }, position }
  }
  return { kind: 'over' }
}
