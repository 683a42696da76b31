import { describePromotion } from '../../lib/domain/promotion/overlay/plan.ts'
import { branchNameOf } from '../../lib/domain/promotion/move.ts'
import { AppName, EnvironmentName, LifecycleName, TeamName } from '../../lib/names.ts'
import type { Person } from '../people.ts'
import type { Environment, Team } from './entity.ts'

interface Place {
  readonly team: Team
  readonly app: string
  readonly environment: Exclude<Environment, 'dev'>
}

/** Branch and texts of a release that a person asked the portal for. */
export function releaseTexts({ team, app, environment }: Place, { name }: Person) {
  const move = {
    team: TeamName.of(team),
    app: AppName.of(app),
    act: 'promote',
    environment,
  } as const
  const texts = describePromotion({
    kind: 'release',
    principal: { name },
    move,
    // Beyond dev an environment and its lifecycle have one name.
    stage: {
      environment: EnvironmentName.of(environment),
      lifecycle: LifecycleName.of(environment),
    },
    needsConfirmation: false,
    message:
      'The monthly statements run on Friday; the fix for credit notes has to be tested before.',
    secrets: null,
  })
  return { branch: branchNameOf(move), ...texts }
}
