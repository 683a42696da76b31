import { AppName, TeamName } from '../../names.ts'
import { compositeName } from './application.ts'

export interface ApplicationInEnvironment {
  readonly team: TeamName
  readonly app: AppName
  readonly environment: string
}

/**
 * Other applications whose objects in the cluster have the same name: `payments-core/ledger` and `payments/core-ledger` in dev are both
 * `payments-core-ledger-dev`. The names are part of what runs already, so that the second application is refused instead.
 */
export function sameNamed(
  { team, app, environment }: ApplicationInEnvironment,
  environments: readonly string[],
): readonly ApplicationInEnvironment[] {
  const name = `${compositeName(team, app)}-${environment}`
  return environments
    .filter((each) => name.endsWith(`-${each}`))
    .flatMap((each) => splitsOf(name.slice(0, -`-${each}`.length), each))
    .filter((other) => other.team !== team || other.app !== app)
}

const splitsOf = (name: string, environment: string): readonly ApplicationInEnvironment[] =>
  [...name.matchAll(/-/g)].flatMap(({ index }) => {
    const team = TeamName.parse(name.slice(0, index))
    const app = AppName.parse(name.slice(index + 1))
    return team === undefined || app === undefined ? [] : [{ team, app, environment }]
  })
