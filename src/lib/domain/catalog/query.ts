import { fold } from './search-text.ts'
import type { CatalogEntity } from './snapshot.ts'

/** An entity must match every filter, and any value within one. An empty list is no filter. */
export interface CatalogFilter {
  readonly kind: readonly string[]
  readonly system: readonly string[]
  readonly owner: readonly string[]
  readonly lifecycle: readonly string[]
  readonly type: readonly string[]
  readonly tag: readonly string[]
  /** Teams of which one must own the entity; `null` is no filter, and an empty list selects nothing. */
  readonly ownedBy: readonly string[] | null
  /** Full text: every term must occur in the entity. */
  readonly q: string
}

/** The same for all filters that differ only in case that `select` ignores. */
export const foldCase = (filter: CatalogFilter): CatalogFilter => ({
  ...filter,
  kind: filter.kind.map((kind) => kind.toLowerCase()),
  system: filter.system.map((system) => system.toLowerCase()),
  lifecycle: filter.lifecycle.map((lifecycle) => lifecycle.toLowerCase()),
  type: filter.type.map((type) => type.toLowerCase()),
  tag: filter.tag.map((tag) => tag.toLowerCase()),
})

/**
 * The matching entities. Without a text they keep their order; with a text, entities with all terms in the name come first,
 * then those with all terms in name and title, unless they shall not be `ranked`.
 */
export function select(
  entities: readonly CatalogEntity[],
  filter: CatalogFilter,
  ranked = true,
): readonly CatalogEntity[] {
  const checks = checksOf(filter)
  const terms = termsOf(filter.q)
  const filtered =
    checks.length === 0
      ? entities
      : entities.filter((entity) => checks.every((check) => check(entity)))
  if (terms.length === 0) return filtered
  return ranked
    ? search(filtered, terms)
    : filtered.filter(({ text }) => lastPosition(text.folded, terms) >= 0)
}

export interface Page {
  readonly entities: readonly CatalogEntity[]
  /** Number of entities on all pages. */
  readonly total: number
  /** `null` on the last page. */
  readonly nextOffset: number | null
}

/** One page of a selection; the whole selection without a limit. */
export function selectPage(
  entities: readonly CatalogEntity[],
  filter: CatalogFilter,
  { limit, offset }: { readonly limit?: number | undefined; readonly offset: number },
  ranked = true,
): Page {
  const selected = select(entities, filter, ranked)
  const total = selected.length
  const end = limit === undefined ? total : offset + limit
  return {
    entities: selected.slice(offset, end),
    total,
    nextOffset: end < total ? end : null,
  }
}

function search(
  entities: readonly CatalogEntity[],
  terms: readonly string[],
): readonly CatalogEntity[] {
  const inName: CatalogEntity[] = []
  const inTitle: CatalogEntity[] = []
  const elsewhere: CatalogEntity[] = []
  for (const entity of entities) {
    const { folded, nameEnd, titleEnd } = entity.text
    const position = lastPosition(folded, terms)
    if (position < 0) continue
    const matches = position < nameEnd ? inName : position < titleEnd ? inTitle : elsewhere
    matches.push(entity)
  }
  return [...inName, ...inTitle, ...elsewhere]
}

/** The greatest of the positions where the terms first occur; -1 when one does not occur. */
function lastPosition(text: string, terms: readonly string[]): number {
  let last = -1
  for (const term of terms) {
    const position = text.indexOf(term)
    if (position < 0) return -1
    if (position > last) last = position
  }
  return last
}

/** The longest, and therefore rarest, term comes first. A term inside another is left out. */
export function termsOf(q: string): readonly string[] {
  const terms = [...new Set(fold(q).split(/\s+/).filter(Boolean))].toSorted(
    (a, b) => b.length - a.length,
  )
  return terms.filter(
    (term, index) => !terms.slice(0, index).some((longer) => longer.includes(term)),
  )
}

type Check = (entity: CatalogEntity) => boolean

function checksOf(filter: CatalogFilter): readonly Check[] {
  const checks = (['kind', 'system', 'lifecycle', 'type'] as const)
    .filter((field) => filter[field].length > 0)
    .map((field): Check => {
      const values = new Set<string | null>(filter[field].map((value) => value.toLowerCase()))
      return ({ lowerCase }) => values.has(lowerCase[field])
    })
  const tags = new Set(filter.tag.map((tag) => tag.toLowerCase()))
  if (tags.size > 0) {
    const isWanted = remembered((tag: string) => tags.has(tag.toLowerCase()))
    checks.push(({ card }) => card.tags.some(isWanted))
  }
  const owners = new Set(filter.owner)
  if (owners.size > 0) {
    const isWanted = remembered((owner: string | null) => isOwnedBy(owner, owners))
    checks.push(({ card }) => isWanted(card.owner))
  }
  if (filter.ownedBy !== null) {
    const teams = new Set(filter.ownedBy)
    const isWanted = remembered((owner: string | null) => teams.has(teamOf(owner)))
    checks.push(({ card }) => isWanted(card.owner))
  }
  return checks
}

/** Thousands of entities have one owner, and few have a tag of their own: each value is judged once. */
function remembered<Value>(isWanted: (value: Value) => boolean): (value: Value) => boolean {
  const judged = new Map<Value, boolean>()
  return (value) => judged.getOrInsertComputed(value, isWanted)
}

const TEAM = /^(?:group:)?(?:[^:/]+\/)?([^:/]+)$/

/** The team of `group:acme/payments`, `acme/payments` or `payments`; empty for an owner of any other form. */
const teamOf = (owner: string | null): string => TEAM.exec(owner ?? '')?.[1] ?? ''

/** `group:acme/payments` is found by itself, by `acme/payments` and by `payments`. */
function isOwnedBy(owner: string | null, owners: ReadonlySet<string>): boolean {
  if (owner === null) return false
  return (
    owners.has(owner) ||
    owners.has(owner.slice(owner.indexOf(':') + 1)) ||
    owners.has(owner.slice(owner.lastIndexOf('/') + 1))
  )
}
