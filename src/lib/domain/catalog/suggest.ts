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
    const distance = isSameKind ? distanceBetween(missingName, card.name) : 0
    if (distance <= DISTANCE_MAX) near.push({ ref, distance })
  }
  return near
    .toSorted((a, b) => a.distance - b.distance || (a.ref < b.ref ? -1 : 1))
    .slice(0, SUGGESTIONS_MAX)
    .map(({ ref }) => ref)
}

/** Levenshtein's distance, or infinity as soon as it is known to be more than `DISTANCE_MAX`. */
function distanceBetween(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > DISTANCE_MAX) return Number.POSITIVE_INFINITY
  let row = Array.from({ length: from.length + 1 }, (_, index) => index)
  for (let j = 1; j <= to.length; j++) {
    const next = [j]
    for (let i = 1; i <= from.length; i++) {
      const isSame = from.charCodeAt(i - 1) === to.charCodeAt(j - 1)
      const substituted = at(row, i - 1) + (isSame ? 0 : 1)
      next.push(Math.min(substituted, at(row, i) + 1, at(next, i - 1) + 1))
    }
    if (Math.min(...next) > DISTANCE_MAX) return Number.POSITIVE_INFINITY
    row = next
  }
  return at(row, from.length)
}

const at = (row: readonly number[], index: number): number => row[index] ?? 0
