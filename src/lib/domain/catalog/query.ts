import { fold } from './fold.ts'
import type { CatalogEntity } from './snapshot.ts'

/** Within a filter any value may match; between filters all must. An empty list is no filter. */
export interface CatalogFilter {
  readonly kind: readonly string[]
  readonly system: readonly string[]
  readonly owner: readonly string[]
  readonly lifecycle: readonly string[]
  /** Full text. Every term must occur in the entity. */
  readonly q: string
}

export const noFilter: CatalogFilter = { kind: [], system: [], owner: [], lifecycle: [], q: '' }

/**
 * The matching entities: without a text in their own order, with one those first whose name has all terms, then those
 * whose name and title have them.
 */
export function select(
  entities: readonly CatalogEntity[],
  filter: CatalogFilter,
): readonly CatalogEntity[] {
  const matches = filterOf(filter)
  const terms = termsOf(filter.q)
  if (matches === undefined && terms.length === 0) return entities
  const candidates = matches === undefined ? entities : entities.filter(matches)
  return terms.length === 0 ? candidates : search(candidates, terms)
}

function search(
  entities: readonly CatalogEntity[],
  terms: readonly string[],
): readonly CatalogEntity[] {
  const inName: CatalogEntity[] = []
  const inTitle: CatalogEntity[] = []
  const elsewhere: CatalogEntity[] = []
  for (const entity of entities) {
    const last = lastMatch(entity.card.text, terms)
    if (last < 0) continue
    if (last < entity.card.nameEnd) inName.push(entity)
    else if (last < entity.card.titleEnd) inTitle.push(entity)
    else elsewhere.push(entity)
  }
  return [...inName, ...inTitle, ...elsewhere]
}

/** Where the term is found that is found last, or -1 when one is not found. Terms have no line ends, so no term reaches over a border. */
function lastMatch(text: string, terms: readonly string[]): number {
  let last = 0
  for (const term of terms) {
    const at = text.indexOf(term)
    if (at < 0) return -1
    if (at > last) last = at
  }
  return last
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
