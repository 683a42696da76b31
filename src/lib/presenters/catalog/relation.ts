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
  ...pageParameters('relations'),
})

export const EntityRelation = Type.Object(
  {
    type: RelationType,
    ref: Type.String({
      description:
        'The reference as the file of the entity has it; for a relation that another entity states, kind and name of that entity',
    }),
    target: Nullable(ListedEntityName, { description: '`null`: the catalog has no such entity' }),
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

export const renderRelation = ({ type, ref, target }: Relation) => ({
  type,
  ref,
  target: target && entityNameBody(target),
})
