import type { ReferenceField } from './entity.ts'
import { createNamedPerFile } from './named-per-file.ts'
import type { CatalogProblem } from './problem.ts'
import { type Reference, targetOf } from './reference.ts'
import type { CatalogEntity } from './snapshot.ts'

const EXAMPLES = {
  dependsOn: 'resource:payments-db',
  providesApis: 'api:payments-http',
  consumesApis: 'api:payments-http',
  system: 'checkout',
  domain: 'commerce',
  owner: 'group:acme/payments',
} as const satisfies Record<ReferenceField, string>

/**
 * Fields that are labels too, with the kind that they name. Their entity is missed only in a catalog that has entities of this
 * kind: teams often are at the identity provider alone.
 */
const LABELS: Readonly<Partial<Record<ReferenceField, string>>> = {
  system: 'system',
  domain: 'domain',
  owner: 'group',
}

/** Adds the problems of references that name no entity, or their own. `kinds` are those of the catalog, in lower case. */
export function createBrokenRelations(problems: CatalogProblem[], kinds: ReadonlySet<string>) {
  const broken = createNamedPerFile(
    problems,
    'relation_broken',
    (count) => `${count} more references of this file name no entity`,
  )
  const toItself = createNamedPerFile(
    problems,
    'relation_to_itself',
    (count) => `${count} more references of this file name their own entity`,
  )
  const at = ({ ref }: CatalogEntity, { line, column }: Reference) =>
    ({ severity: 'warning', line, column, ref }) as const

  return {
    addBroken(entity: CatalogEntity, reference: Reference): void {
      const { field } = reference
      const target = targetOf(reference)
      const label = LABELS[field]
      if (label !== undefined && !kinds.has(target?.split('/')[0] ?? label)) return
      const message =
        target === undefined
          ? `spec.${field} must name an entity, such as ${EXAMPLES[field]}`
          : `spec.${field} names ${target}, which the catalog does not have`
      broken.add(entity.path, { ...at(entity, reference), message })
    },
    addToItself(entity: CatalogEntity, reference: Reference): void {
      const { field } = reference
      // A group may own itself.
      if (field === 'owner') return
      const message = `spec.${field} names the entity itself`
      toItself.add(entity.path, { ...at(entity, reference), message })
    },
    end(): void {
      broken.end()
      toItself.end()
    },
  }
}
