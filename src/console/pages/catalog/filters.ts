import { FILTERS, type Query } from '../../paths.ts'

/** Facets with a menu, in its order. */
export const FACETS = ['kind', 'type', 'owner', 'system', 'tag'] as const

export type Facet = (typeof FACETS)[number]

/** Everything that leaves entities out. */
const NARROWING = FILTERS.filter((name) => name !== 'sort')

/** The part of the address that the list is asked with; empty values are absent. */
export type Filter = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>

export function filterOf(query: URLSearchParams): Filter {
  const given = FILTERS.map((name) => [name, query.get(name) ?? ''] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== ''))
}

/** Components come first, unless the person wants another order; matches of a text are ranked by the API. */
export const orderedFilter = (filter: Filter): Filter =>
  filter.q === undefined && filter.sort === undefined ? { ...filter, sort: 'kind' } : filter

export const isNarrowed = (filter: Filter): boolean =>
  NARROWING.some((name) => filter[name] !== undefined)

/** Changes of the address that show everything again, in the same order. */
export const CLEARED: Query = Object.fromEntries(NARROWING.map((name) => [name, undefined]))

/** Filter of the counts beside the choices of a facet: its own choices do not count. */
export function countingFilter(filter: Filter, own: Facet | 'lifecycle'): Filter {
  const { sort: _, [own]: __, ...others } = filter
  return others
}

export const chosenOf = (filter: Filter, facet: Facet | 'lifecycle'): readonly string[] =>
  (filter[facet] ?? '').split(',').filter((value) => value !== '')

/** Orders that the API knows and a column shows. */
export type SortColumn = 'name' | 'owner' | 'lifecycle'

export function sortedBy(
  filter: Filter,
  column: SortColumn,
): 'ascending' | 'descending' | undefined {
  if (filter.sort === column) return 'ascending'
  return filter.sort === `-${column}` ? 'descending' : undefined
}

/** A header sorts upwards, then downwards, then gives back the order of the API. */
export function nextSort(filter: Filter, column: SortColumn): Query {
  const present = sortedBy(filter, column)
  if (present === undefined) return { sort: column }
  return { sort: present === 'ascending' ? `-${column}` : undefined }
}

const LIFECYCLES = ['experimental', 'development', 'staging', 'production', 'deprecated']

export interface LifecycleTab {
  /** Empty for the tab of all. */
  readonly value: string
  /** Absent until the counts are there. */
  readonly count: number | undefined
  readonly isChosen: boolean
}

export interface ValueCount {
  readonly value: string
  readonly count: number
}

export interface LifecycleCounts {
  readonly kind: readonly ValueCount[]
  readonly lifecycle: readonly ValueCount[]
}

/** Tabs of the lifecycles that every catalog may have, then of others that this one has. */
export function lifecycleTabs(
  counts: LifecycleCounts | undefined,
  filter: Filter,
): readonly LifecycleTab[] {
  const chosen = chosenOf(filter, 'lifecycle')
  const found = new Map(counts?.lifecycle.map(({ value, count }) => [value, count]))
  const values = new Set([...LIFECYCLES, ...found.keys(), ...chosen])
  const tabs = [...values].map((value) => ({
    value,
    count: counts && (found.get(value) ?? 0),
    isChosen: chosen.includes(value),
  }))
  // Every entity has one kind.
  const all = counts?.kind.reduce((sum, { count }) => sum + count, 0)
  return [{ value: '', count: all, isChosen: chosen.length === 0 }, ...tabs]
}

/** `14 of 27 entities`; without filters, or before the whole is known, `27 entities`. */
export function countWords(shown: number, whole: number | undefined): string {
  const number = (count: number) => count.toLocaleString('en')
  const noun = (whole ?? shown) === 1 ? 'entity' : 'entities'
  return whole === undefined || whole === shown
    ? `${number(shown)} ${noun}`
    : `${number(shown)} of ${number(whole)} ${noun}`
}
