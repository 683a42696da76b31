import { createTimeSlice, sortInSlices } from '../../concurrency/time-slice.ts'
import type { CatalogEntity, Snapshot } from './snapshot.ts'

/** `-` is the other way. */
export const sortKeys = [
  'name',
  '-name',
  'kind',
  '-kind',
  'lifecycle',
  '-lifecycle',
  'owner',
  '-owner',
] as const

export type SortKey = (typeof sortKeys)[number]

/** Kinds by what people look for first. Others follow, by name. */
const KINDS = ['component', 'api', 'resource', 'system', 'domain', 'group', 'user']

/** Sorts like the kind's place in `KINDS`, then like its name. */
function placeOfKind(kind: string): string {
  const position = KINDS.indexOf(kind)
  return `${position < 0 ? KINDS.length : position}${kind}`
}

type Entities = Snapshot['entities']
type SortValue = (entity: CatalogEntity) => string | number | null

/**
 * Orders of whole snapshots, made once each and in slices: a selection keeps the order of what it selects from. Entities without a
 * value come last either way, and equal ones by kind, then name. Lifecycles are in the order of `lifecycles`, kinds in that of
 * `KINDS`.
 */
export function createOrders(lifecycles: readonly string[]) {
  const known = new WeakMap<Entities, Map<SortKey, Promise<Entities>>>()
  const values: Readonly<Record<string, SortValue>> = {
    name: ({ card }) => card.name,
    kind: ({ lowerCase }) => placeOfKind(lowerCase.kind),
    owner: ({ card }) => card.owner,
    lifecycle({ lowerCase }) {
      const position = lifecycles.indexOf(lowerCase.lifecycle ?? '')
      return position < 0 ? null : position
    },
  }

  async function make(entities: Entities, sort: SortKey): Promise<Entities> {
    const valueOf = values[sort.replace('-', '')] ?? (() => null)
    const ordered = await sortInSlices(
      entities.map((entity) => ({ entity, value: valueOf(entity) })),
      compareBy(sort.startsWith('-') ? -1 : 1),
      createTimeSlice(),
    )
    return ordered.map(({ entity }) => entity)
  }

  return function inOrder(entities: Entities, sort: SortKey): Promise<Entities> {
    const orders = known.get(entities) ?? new Map<SortKey, Promise<Entities>>()
    known.set(entities, orders)
    const order = orders.get(sort) ?? make(entities, sort)
    orders.set(sort, order)
    return order
  }
}

const compareBy =
  (direction: 1 | -1) =>
  (a: { readonly value: Value }, b: { readonly value: Value }): number => {
    if (a.value === b.value) return 0
    if (a.value === null) return 1
    if (b.value === null) return -1
    return a.value < b.value ? -direction : direction
  }

type Value = ReturnType<SortValue>
