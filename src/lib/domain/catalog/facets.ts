import type { EntityCard } from './entity.ts'
import type { CatalogEntity } from './snapshot.ts'

const FACETS = [
  'kind',
  'system',
  'owner',
  'lifecycle',
  'type',
] as const satisfies (keyof EntityCard)[]

export type Facets = Readonly<Record<(typeof FACETS)[number], readonly ValueCount[]>>

interface ValueCount {
  readonly value: string
  readonly count: number
}

/**
 * Counts of the values, most frequent first, then by value. Kind, system and lifecycle ignore case, as their filters do, and have
 * their most frequent spelling.
 */
export function facetsOf(entities: readonly CatalogEntity[]): Facets {
  const count = (facet: (typeof FACETS)[number]): readonly ValueCount[] => {
    const counts = new Map<string, number>()
    for (const { card } of entities) {
      const value = card[facet]
      if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
    }
    return [...counts].map(([value, count]) => ({ value, count })).toSorted(byFrequency)
  }
  return {
    kind: ignoringCase(count('kind')),
    system: ignoringCase(count('system')),
    owner: count('owner'),
    lifecycle: ignoringCase(count('lifecycle')),
    type: count('type'),
  }
}

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
