import { Type } from 'typebox'
import { type Relation, relationTypes } from '../../domain/catalog/relations.ts'
import { pageParameters } from '../../http/page.ts'
import { Nullable } from '../../schema/nullable.ts'
import { entityNameBody, ListedEntityName } from './entity-name.ts'

const RelationType = Type.Enum([...relationTypes])

export const relationQuery = Type.Object({
  type: Type.Array(RelationType, {
    maxItems: relationTypes.length,
    default: [],
    description: 'Only relations of these types',
  }),
  hops: Type.Integer({
    minimum: 1,
    maximum: 2,
    default: 1,
    description: '2: dependencies with their own dependencies, and dependants with theirs',
  }),
  ...pageParameters('relations'),
})

/** The further entities that one relation lists: a page of a thousand relations stays below two megabytes. */
const FURTHER_MAX = 8

const members = {
  type: RelationType,
  ref: Type.String({
    description:
      'The reference as the file of the entity has it; for a relation that another entity states, kind and name of that entity',
  }),
  target: Nullable(ListedEntityName, { description: '`null`: the catalog has no such entity' }),
}

export const EntityRelation = Type.Object(
  {
    ...members,
    further: Type.Optional(
      Type.Array(Type.Object(members, { $id: 'FurtherRelation' }), {
        description: `With \`hops=2\`, of a dependency or a dependant: its first ${FURTHER_MAX} in the same direction`,
      }),
    ),
    furtherCount: Type.Optional(Type.Integer({ description: 'How many it has in that direction' })),
  },
  { $id: 'EntityRelation' },
)

export const exampleRelations = [
  {
    type: 'dependsOn',
    ref: 'resource:payments-db',
    target: { kind: 'Resource', name: 'payments-db', title: 'Payments database' },
  },
  { type: 'consumesApi', ref: 'fraud-signals', target: null },
]

const bodyOf = ({ type, ref, target }: Relation) => ({
  type,
  ref,
  target: target && entityNameBody(target),
})

export const renderRelation = (relation: Relation, further?: readonly Relation[]) => ({
  ...bodyOf(relation),
  ...(further && {
    further: further.slice(0, FURTHER_MAX).map(bodyOf),
    furtherCount: further.length,
  }),
})
