import { Type } from 'typebox'
import type { CatalogEntity } from '../../domain/catalog/snapshot.ts'
import { Nullable } from '../../schema/nullable.ts'

/** An entity in a list of something else. */
export const ListedEntityName = Type.Object(
  {
    kind: Type.String(),
    name: Type.String(),
    title: Nullable(Type.String()),
  },
  { $id: 'ListedEntityName' },
)

export const entityNameBody = ({ card: { kind, name, title } }: Pick<CatalogEntity, 'card'>) => ({
  kind,
  name,
  title,
})
