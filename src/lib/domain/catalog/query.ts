import { fold } from './fold.ts'
import { eachMatch, type MatchPlace } from './search-index.ts'
import type { CatalogEntity, Snapshot } from './snapshot.ts'

/** Within a filter any value may match; between filters all must. An empty list is no filter. */
export interface CatalogFilter {
  readonly kind: readonly string[]
  readonly system: readonly string[]
  readonly owner: readonly string[]
  readonly lifecycle: readonly string[]
  /** Full text. Every term must occur in the entity. */
  readonly q: string
}

export interface Selection {
  /** In order, and complete as far as was wanted. What follows then is not. */
  readonly entities: readonly CatalogEntity[]
  /** How many match. */
  readonly total: number
}

/**
 * The matching entities: without a text in their own order, with one those first whose name has all terms, then those
 * whose name and title have them. `wanted` is how many of the first are gathered: pages are small, what matches may be everything.
 */
export function select(
  { entities, search }: Pick<Snapshot, 'entities' | 'search'>,
  filter: CatalogFilter,
  wanted = Number.POSITIVE_INFINITY,
): Selection {
  const matches = filterOf(filter)
  const terms = termsOf(filter.q)
  if (terms.length === 0 && matches === undefined) return { entities, total: entities.length }

  // No record by place: looking into it for each match is a fifth of a search for what nearly all have.
  const named: CatalogEntity[] = []
  const titled: CatalogEntity[] = []
  const others: CatalogEntity[] = []
  let total = 0
  const visit = (index: number, place: MatchPlace) => {
    const entity = entities[index]
    if (entity === undefined || matches?.(entity) === false) return
    total += 1
    const list = place === 'name' ? named : place === 'title' ? titled : others
    if (list.length < wanted) list.push(entity)
  }
  if (terms.length > 0) eachMatch(search, terms, visit)
  else for (let index = 0; index < entities.length; index++) visit(index, 'name')
  return { entities: [...named, ...titled, ...others], total }
}

/** Folded and distinct; a term inside another asks for nothing of its own. */
export function termsOf(q: string): readonly string[] {
  const terms = [...new Set(fold(q).split(/\s+/).filter(Boolean))].toSorted(
    (a, b) => b.length - a.length,
  )
  return terms.filter(
    (term, index) => !terms.slice(0, index).some((longer) => longer.includes(term)),
  )
}

function filterOf(filter: CatalogFilter): ((entity: CatalogEntity) => boolean) | undefined {
  const kinds = ignoringCase(filter.kind)
  const systems = ignoringCase(filter.system)
  const lifecycles = ignoringCase(filter.lifecycle)
  const owners = new Set(filter.owner)
  const checks = [
    kinds && (({ card }: CatalogEntity) => kinds.has(card.kind.toLowerCase())),
    systems && (({ card }: CatalogEntity) => has(systems, card.system)),
    lifecycles && (({ card }: CatalogEntity) => has(lifecycles, card.lifecycle)),
    owners.size > 0 && (({ card }: CatalogEntity) => isOwnedBy(card.owner, owners)),
  ].filter((check) => check !== undefined && check !== false)
  if (checks.length === 0) return undefined
  return (entity) => checks.every((check) => check(entity))
}

const ignoringCase = (values: readonly string[]): ReadonlySet<string> | undefined =>
  values.length === 0 ? undefined : new Set(values.map((value) => value.toLowerCase()))

const has = (values: ReadonlySet<string>, value: string | null): boolean =>
  value !== null && values.has(value.toLowerCase())

/** `group:acme/payments` is found by itself, by `acme/payments` and by `payments`. */
function isOwnedBy(owner: string | null, wanted: ReadonlySet<string>): boolean {
  if (owner === null) return false
  return (
    wanted.has(owner) ||
    wanted.has(owner.slice(owner.indexOf(':') + 1)) ||
    wanted.has(owner.slice(owner.lastIndexOf('/') + 1))
  )
}
