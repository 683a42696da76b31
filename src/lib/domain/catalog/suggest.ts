import { editDistance } from '../../text/edit-distance.ts'
import type { CatalogEntity } from './snapshot.ts'

const SUGGESTIONS_MAX = 5
const DISTANCE_MAX = 3

/** References (`kind/name`) similar to a missing one: the same name with another kind first, then the nearest names. */
export function suggest(
  entities: readonly CatalogEntity[],
  kind: string,
  name: string,
): readonly string[] {
  const missingKind = kind.toLowerCase()
  const missingName = name.toLowerCase()
  const near: { readonly ref: string; readonly distance: number }[] = []
  for (const { ref, card, lowerCase } of entities) {
    const isSameKind = lowerCase.kind === missingKind
    if (!isSameKind && card.name !== missingName) continue
    const distance = isSameKind ? editDistance(missingName, card.name, DISTANCE_MAX) : 0
    if (distance <= DISTANCE_MAX) near.push({ ref, distance })
  }
  return near
    .toSorted((a, b) => a.distance - b.distance || (a.ref < b.ref ? -1 : 1))
    .slice(0, SUGGESTIONS_MAX)
    .map(({ ref }) => ref)
}
