import { type CatalogFilter, select } from './query.ts'
import type { CatalogEntity, Snapshot } from './snapshot.ts'

export interface Paging {
  /** All of them without it. */
  readonly limit?: number | undefined
  readonly offset: number
}

export interface Page {
  readonly entities: readonly CatalogEntity[]
  /** How many there are on all pages. */
  readonly total: number
  /** Where the next page starts, if there is one. */
  readonly nextOffset: number | null
}

/** The part of a selection that was asked for. A page that is all of it is the selection itself, not a copy. */
export function selectPage(
  snapshot: Pick<Snapshot, 'entities' | 'search'>,
  filter: CatalogFilter,
  { limit, offset }: Paging,
): Page {
  const end = limit === undefined ? Number.POSITIVE_INFINITY : offset + limit
  const { entities, total } = select(snapshot, filter, end)
  const isAll = offset === 0 && end >= total
  return {
    entities: isAll ? entities : entities.slice(offset, end),
    total,
    nextOffset: end < total ? end : null,
  }
}
