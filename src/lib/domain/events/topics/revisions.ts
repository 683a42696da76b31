import type { LatestState, Revised } from '../../../concurrency/latest-state.ts'
import { AnyCaseLabel, EntityKind } from '../../../names.ts'
import { entityRef } from '../../catalog/entity.ts'
import { suggest } from '../../catalog/suggest.ts'
import type { PromotionRevisions } from '../../promotion/overview/state-revisions.ts'
import { positionOf } from '../last-event-id.ts'
import type { OpenTopic, ParseTopic, TopicEvents, TopicFailure } from '../topic.ts'

/** Topics that everybody may read, and whose events say no more than that a revision changed. */

/** The topic `catalog`: the revision of the gitops repository that lists and entities are answered from. */
export const catalogTopic = (catalog: LatestState<Revised>): ParseTopic =>
  only(revisions(catalog, ({ revision }) => revision))

/** The topic `promotions`: the environments and open moves of all applications. */
export const promotionsTopic = (states: LatestState<PromotionRevisions>): ParseTopic =>
  only(revisions(states, ({ overview }) => overview.revision))

/** Topics such as `promotion:component/payments-api`: the promotion state of an entity. */
export const promotionTopic =
  (states: LatestState<PromotionRevisions>): ParseTopic =>
  (rest) => {
    const [kindText, nameText, ...more] = (rest ?? '').split('/')
    const kind = EntityKind.parse(kindText)
    const name = AnyCaseLabel.parse(nameText)
    if (kind === undefined || name === undefined || more.length > 0) return undefined
    const ref = entityRef(kind, name)
    return revisions(
      states,
      (state) => state.of(ref),
      // An entity that is removed later may come back.
      ({ snapshot }) =>
        snapshot.byRef.has(ref)
          ? undefined
          : { kind: 'entity_not_found', suggestions: suggest(snapshot.entities, kind, name) },
    )
  }

const only =
  (topic: OpenTopic): ParseTopic =>
  (rest) =>
    rest === null ? topic : undefined

/**
 * `changed` with the revision of a part of the state, which changes less often, and again with each later one. The first is left out
 * for a client that has it. `refusal`: why the first state refuses the topic.
 */
const revisions = <State>(
  states: LatestState<State>,
  revisionOf: (state: State) => string,
  refusal?: (first: State) => TopicFailure | undefined,
): OpenTopic =>
  async function* (_, after, signal): TopicEvents {
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
