import { AppName, type RepositoryId, type TeamName } from '../../names.ts'
import type { EntityCard } from '../catalog/entity.ts'
import { teamOwner } from '../catalog/owner.ts'
import type { Lifecycle, Pipeline } from './pipeline.ts'

/** The application that an entity names. The reason says why it names none that can be promoted. */
export type Ownership =
  | {
      readonly kind: 'owned'
      readonly team: TeamName
      readonly app: AppName
      readonly lifecycle: Lifecycle
    }
  | {
      readonly kind: 'not_promotable'
      readonly reason: UnownedReason
      readonly team: TeamName | null
      readonly app: AppName | null
    }

type UnownedReason =
  'owner_missing' | 'owner_invalid' | 'owner_foreign' | 'name_unusable' | 'lifecycle_unknown'

export function ownershipOf(
  card: Pick<EntityCard, 'name' | 'owner' | 'lifecycle'>,
  repository: Pick<RepositoryId, 'owner'>,
  pipeline: Pick<Pipeline, 'parseLifecycle'>,
): Ownership {
  const not = (
    reason: UnownedReason,
    team: TeamName | null = null,
    app: AppName | null = null,
  ): Ownership => ({ kind: 'not_promotable', reason, team, app })
  if (card.owner === null) return not('owner_missing')
  const owner = teamOwner(card.owner)
  if (owner === undefined) return not('owner_invalid')
  if (owner.organisation !== repository.owner) return not('owner_foreign')
  const { team } = owner
  const app = AppName.parse(card.name)
  if (app === undefined) return not('name_unusable', team)
  const lifecycle = pipeline.parseLifecycle(card.lifecycle)
  return lifecycle === undefined
    ? not('lifecycle_unknown', team, app)
    : { kind: 'owned', team, app, lifecycle }
}
