import { positionOf } from '../last-event-id.ts'
import type { LatestState } from '../../../concurrency/latest-state.ts'
import type { TopicEvents } from '../topic.ts'

/**
 * `changed` with the revision, and again with each later one. The first is left out for a client that has it. `revisionOf` answers
 * with the revision of a part of the state, which changes less often.
 */
export async function* revisions<State>(
  states: LatestState<State>,
  revisionOf: (state: State) => string,
  after: string | null,
  signal: AbortSignal,
): TopicEvents {
  let last = after
  for await (const state of states.follow(signal)) {
    const revision = revisionOf(state)
    const position = positionOf(revision)
    if (position === last) continue
    last = position
    yield { type: 'changed', value: { revision }, position }
  }
  return { kind: 'over' }
}
