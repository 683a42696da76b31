import type { EntityCard } from './entity.ts'
import type { CatalogEntity } from './snapshot.ts'

const FACETS = [
  'kind',
  'system',
  'owner',
  'lifecycle',
  'type',
] as const satisfies (keyof EntityCard)[]

export type Facets = Readonly<
  Record<(typeof FACETS)[number], readonly { readonly value: string; readonly count: number }[]>
>

/** How many of the entities have which value: most frequent first, then by value. */
export function facetsOf(entities: readonly CatalogEntity[]): Facets {
  const count = (facet: (typeof FACETS)[number]) => {
    const counts = new Map<string, number>()
    for (const { card } of entities) {
      const value = card[facet]
      if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
    }
    return [...counts]
      .map(([value, count]) => ({ value, count }))
      .toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
  }
  return {
    kind: count('kind'),
    system: count('system'),
    owner: count('owner'),
    lifecycle: count('lifecycle'),
    type: count('type'),
  }
}
