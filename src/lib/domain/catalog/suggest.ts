import type { CatalogEntity } from './snapshot.ts'

const SUGGESTIONS_MAX = 5
const DISTANCE_MAX = 3

/** References (`kind/name`) that look like the one that was asked for: same name of another kind first, then nearest names. */
export function suggest(
  entities: readonly CatalogEntity[],
  kind: string,
  name: string,
): readonly string[] {
  const wantedKind = kind.toLowerCase()
  const distance = createDistance(name.toLowerCase(), DISTANCE_MAX)
  const near: { readonly ref: string; readonly distance: number }[] = []
  for (const { ref, card } of entities) {
    const isOtherKind = card.kind.toLowerCase() !== wantedKind
    const apart = isOtherKind ? Number(card.name !== name.toLowerCase()) : distance(card.name)
    if (apart <= (isOtherKind ? 0 : DISTANCE_MAX)) near.push({ ref, distance: apart })
  }
  return near
    .toSorted((a, b) => a.distance - b.distance || (a.ref < b.ref ? -1 : 1))
    .slice(0, SUGGESTIONS_MAX)
    .map(({ ref }) => ref)
}

/**
 * Levenshtein's distance from a text, given up for anything above `max`. Two rows are all the memory it takes, and only
 * the cells near the diagonal are looked at: the others are further than `max` away.
 */
function createDistance(from: string, max: number): (to: string) => number {
  const far = max + 1
  let row = new Uint16Array(from.length + 2)
  let next = new Uint16Array(from.length + 2)
  return (to) => {
    if (Math.abs(from.length - to.length) > max) return far
    for (let i = 0; i <= from.length; i++) row[i] = i
    for (let j = 1; j <= to.length; j++) {
      const first = Math.max(1, j - max)
      const last = Math.min(from.length, j + max)
      let least = first === 1 ? j : far
      next[first - 1] = least
      next[last + 1] = far
      for (let i = first; i <= last; i++) {
        const substitution =
          at(row, i - 1) + (from.charCodeAt(i - 1) === to.charCodeAt(j - 1) ? 0 : 1)
        const cost = Math.min(substitution, at(row, i) + 1, at(next, i - 1) + 1)
        next[i] = cost
        if (cost < least) least = cost
      }
      if (least > max) return far
      ;[row, next] = [next, row]
    }
    return at(row, from.length)
  }
}

const at = (row: Uint16Array, index: number): number => row[index] ?? 0
