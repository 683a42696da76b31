import type { CatalogEntity } from './snapshot.ts'

type Facet = 'kind' | 'system' | 'owner' | 'lifecycle' | 'type' | 'tag'

export type Facets = Readonly<Record<Facet, readonly ValueCount[]>>

interface ValueCount {
  readonly value: string
  readonly count: number
}

/**
 * Counts of the values, most frequent first, then by value. All but the owner ignore case, as their filters do, and have their
 * most frequent spelling. An entity counts once for each of its tags.
 */
export function facetsOf(entities: readonly CatalogEntity[]): Facets {
  const count = (facet: Exclude<Facet, 'tag'>): readonly ValueCount[] => {
    const counts = new Map<string, number>()
    for (const { card } of entities) {
      const value = card[facet]
      if (value !== null) add(counts, value)
    }
    return ranked(counts)
  }
  return {
    kind: ignoringCase(count('kind')),
    system: ignoringCase(count('system')),
    owner: count('owner'),
    lifecycle: ignoringCase(count('lifecycle')),
    type: ignoringCase(count('type')),
    tag: ignoringCase(countTags(entities)),
  }
}

function countTags(entities: readonly CatalogEntity[]): readonly ValueCount[] {
  const counts = new Map<string, number>()
  for (const { card } of entities) {
    const spellings = new Map(card.tags.map((tag) => [tag.toLowerCase(), tag]))
    for (const tag of spellings.values()) add(counts, tag)
  }
  return ranked(counts)
}

function add(counts: Map<string, number>, value: string): void {
  counts.set(value, (counts.get(value) ?? 0) + 1)
}

const ranked = (counts: ReadonlyMap<string, number>): readonly ValueCount[] =>
  [...counts].map(([value, count]) => ({ value, count })).toSorted(byFrequency)

const byFrequency = (a: ValueCount, b: ValueCount): number =>
  b.count - a.count || (a.value < b.value ? -1 : 1)

function ignoringCase(spellings: readonly ValueCount[]): readonly ValueCount[] {
  const values = new Map<string, ValueCount>()
  for (const { value, count } of spellings) {
    const known = values.get(value.toLowerCase()) ?? { value, count: 0 }
    values.set(value.toLowerCase(), { value: known.value, count: known.count + count })
  }
  return [...values.values()].toSorted(byFrequency)
}
