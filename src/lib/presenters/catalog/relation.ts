import { Type } from 'typebox'
import { type Relation, relationTypes } from '../../domain/catalog/relations.ts'
import { Nullable } from '../../schema/nullable.ts'

const RelationType = Type.Enum([...relationTypes])

export const relationQuery = Type.Object({
  type: Type.Array(RelationType, {
    maxItems: relationTypes.length,
    default: [],
    description: 'Only relations of these types',
  }),
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'Page size' }),
  offset: Type.Integer({
    minimum: 0,
    maximum: 10_000_000,
    default: 0,
    description: 'Number of relations to skip',
  }),
})

export const EntityRelation = Type.Object(
  {
    type: RelationType,
    ref: Type.String({
      description: 'As the file of the entity has it; of the other way, the other entity',
    }),
    target: Nullable(
      Type.Object(
        { kind: Type.String(), name: Type.String(), title: Nullable(Type.String()) },
        { description: '`null`: the catalog has no such entity' },
      ),
    ),
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
  target: target && {
    kind: target.card.kind,
    name: target.card.name,
    title: target.card.title,
  },
})
