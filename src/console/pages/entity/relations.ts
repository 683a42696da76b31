import type { components } from '../../api/schema.gen.ts'
import { parseRef } from '../../ui/names.ts'

export type Relation = components['schemas']['EntityRelation']
type RelationType = Relation['type']

/** In the order of the list. The owner and the system are told with the other facts about an entity. */
const TITLES = [
  ['dependsOn', 'Needs'],
  ['consumesApi', 'Uses'],
  ['providesApi', 'Provides'],
  ['dependencyOf', 'Needed by'],
  ['apiConsumedBy', 'Used by'],
  ['apiProvidedBy', 'Provided by'],
  ['hasPart', 'Parts'],
  ['ownerOf', 'Owns'],
] as const satisfies readonly (readonly [RelationType, string])[]

export interface RelationGroup {
  readonly type: RelationType
  readonly title: string
  readonly relations: readonly Relation[]
}

export const relationGroups = (relations: readonly Relation[]): readonly RelationGroup[] =>
  TITLES.map(([type, title]) => ({
    type,
    title,
    relations: relations.filter((relation) => relation.type === type),
  })).filter(({ relations: found }) => found.length > 0)

/** The short name of the other entity: a broken reference has no title. */
export const nameOf = ({ target, ref }: Relation): string =>
  target?.title ?? target?.name ?? parseRef(ref)?.name ?? ref

/** The kind of the other entity, as far as the reference says it. */
export const kindOf = ({ target, ref }: Relation): string =>
  target?.kind ?? parseRef(ref)?.kind ?? ''

/** The entity that stands for the owner, the system or the domain; `undefined` without such a reference. */
export const relationTo = (
  relations: readonly Relation[],
  type: 'ownedBy' | 'partOf',
): Relation | undefined => relations.find((relation) => relation.type === type)
