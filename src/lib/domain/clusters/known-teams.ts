import { TeamName } from '../../names.ts'
import { type Principal, teamsOf } from '../access/principal.ts'

export interface KnownTeamsOptions {
  /** The teams of the catalog; `null` before it is loaded. */
  readonly catalogTeams: () => ReadonlySet<TeamName> | null
  readonly platformGroup: string
}

/** The teams whose namespaces a person may ask for: by their groups, and by the catalog. */
export function createKnownTeams({ catalogTeams, platformGroup }: KnownTeamsOptions) {
  function teamsOfPerson(principal: Principal): readonly TeamName[] {
    const teams = teamsOf(principal, platformGroup)
    return teams === 'unknown' ? [] : teams.flatMap((team) => TeamName.parse(team) ?? [])
  }
  return {
    /** The person's own first. */
    of: (principal: Principal): readonly TeamName[] => [
      ...new Set([...teamsOfPerson(principal), ...[...(catalogTeams() ?? [])].toSorted()]),
    ],

    /** Before the catalog is loaded every name may be that of a team. */
    isTeam(principal: Principal, team: TeamName): boolean {
      const known = catalogTeams()
      return known === null || known.has(team) || teamsOfPerson(principal).includes(team)
    },
  }
}

export type KnownTeams = ReturnType<typeof createKnownTeams>
