import { Type } from 'typebox'
import type { CatalogEntity } from '../../domain/catalog/snapshot.ts'
import type {
  ApplicationHealth as Row,
  PlacedApplication,
} from '../../domain/clusters/workloads/application-health.ts'
import { Environment } from '../../domain/promotion/pipeline-schemas.ts'
import { Nullable } from '../../schema/nullable.ts'
import { verdictMembers } from './workload-schemas.ts'

const Text = Type.String()

export const ApplicationHealth = Type.Object(
  {
    entity: Type.Object({ kind: Text, name: Text, title: Nullable(Text) }),
    environment: Environment,
    cluster: Type.String({ description: 'Id of the cluster' }),
    namespace: Text,
    ...verdictMembers,
  },
  { $id: 'ApplicationHealth' },
)

export function applicationHealthBody({
  of: { entity, environment },
  ...found
}: Row<PlacedApplication & { readonly entity: CatalogEntity }>) {
  const { kind, name, title } = entity.card
  return { entity: { kind, name, title }, environment, ...found }
}
