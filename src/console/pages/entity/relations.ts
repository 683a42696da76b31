import type { components } from '../../api/schema.gen.ts'
import { type ApplicationHealth, worstOf } from '../../ui/health.ts'
import { parseRef } from '../../ui/names.ts'

export type Relation = components['schemas']['EntityRelation']
type RelationType = Relation['type']
/** A relation of the first or the second hop. */
export type NamedRelation = Pick<Relation, 'target' | 'ref'>

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

/** This entity cannot work without these: it stops when one of them does. */
const NEEDS = new Set<RelationType>(['dependsOn', 'consumesApi', 'apiProvidedBy'])
/** These cannot work without this entity. */
const NEEDED_BY = new Set<RelationType>(['dependencyOf', 'apiConsumedBy', 'providesApi'])

/** Types that are asked for where a panel of its own has the parts or the property. */
export const WITHOUT_CONTENTS: readonly RelationType[] = [
  ...NEEDS,
  ...NEEDED_BY,
  'partOf',
  'ownedBy',
]

export interface Dependencies {
  readonly neededBy: readonly Relation[]
  readonly needs: readonly Relation[]
}

/** Both sides of an entity, each other entity once; null without any. */
export function dependenciesOf(relations: readonly Relation[]): Dependencies | null {
  const side = (types: ReadonlySet<RelationType>) =>
    [
      ...new Map(
        relations
          .filter(({ type }) => types.has(type))
          .toReversed()
          .map((relation) => [keyOf(relation), relation]),
      ).values(),
    ].toReversed()
  const [neededBy, needs] = [side(NEEDED_BY), side(NEEDS)]
  return neededBy.length + needs.length === 0 ? null : { neededBy, needs }
}

/** `component/shop` in lower case; the text of a broken reference. */
export const keyOf = ({ target, ref }: NamedRelation): string =>
  target === null ? ref : `${target.kind}/${target.name}`.toLowerCase()

/** The worst verdict on an entity in the environments that could be asked. */
export function worstKnown(
  rows: readonly ApplicationHealth[],
  entity: NamedRelation,
): ApplicationHealth | undefined {
  const key = keyOf(entity)
  const isKnown = (row: ApplicationHealth) =>
    row.health !== 'Unknown' && keyOf({ target: row.entity, ref: '' }) === key
  return worstOf(rows.filter(isKnown))
}

/** The short name of the other entity: a broken reference has no title. */
export const nameOf = ({ target, ref }: NamedRelation): string =>
  target?.title ?? target?.name ?? parseRef(ref)?.name ?? ref

/** The kind of the other entity, as far as the reference says it. */
export const kindOf = ({ target, ref }: NamedRelation): string =>
  target?.kind ?? parseRef(ref)?.kind ?? ''

/** The entity that stands for the owner, the system or the domain; `undefined` without such a reference. */
export const relationTo = (
  relations: readonly Relation[],
  type: 'ownedBy' | 'partOf',
): Relation | undefined => relations.find((relation) => relation.type === type)
