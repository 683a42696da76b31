import type { LatestState } from '../../../concurrency/latest-state.ts'
import { AnyCaseLabel, EntityKind } from '../../../names.ts'
import { entityRef } from '../../catalog/entity.ts'
import { suggest } from '../../catalog/suggest.ts'
import type { PromotionRevisions } from '../../promotion/overview/state-revisions.ts'
import type { OpenTopic, ParseTopic } from '../topic.ts'
import { revisions } from './revision.ts'

/** Topics such as `promotion:component/payments-api`: the promotion state of an entity, which everybody may read. */
export const promotionTopic =
  (states: LatestState<PromotionRevisions>): ParseTopic =>
  (rest) => {
    const [kindText, nameText, ...more] = (rest ?? '').split('/')
    const kind = EntityKind.parse(kindText)
    const name = AnyCaseLabel.parse(nameText)
    if (kind === undefined || name === undefined || more.length > 0) return undefined
    return openPromotion(states, kind, name)
  }

const openPromotion = (
  states: LatestState<PromotionRevisions>,
  kind: EntityKind,
  name: AnyCaseLabel,
): OpenTopic => {
  const ref = entityRef(kind, name)
  return (_, after, signal) =>
    revisions(states, {
      revisionOf: (state) => state.of(ref),
      // An entity that is removed later may come back.
      refusal({ snapshot }) {
        if (snapshot.byRef.has(ref)) return undefined
        const suggestions = suggest(snapshot.entities, kind, name)
        return { kind: 'entity_not_found', suggestions }
      },
      after,
      signal,
    })
}

/** The topic `promotions`: the environments and open moves of all applications, which everybody may read. */
export const promotionsTopic =
  (states: LatestState<PromotionRevisions>): ParseTopic =>
  (rest) =>
    rest === null
      ? (_, after, signal) =>
          revisions(states, { revisionOf: ({ overview }) => overview.revision, after, signal })
      : undefined
