import type { TeamName } from '../../names.ts'
import { teamOwner } from './owner.ts'
import type { Snapshot } from './snapshot.ts'

const known = new WeakMap<Snapshot, ReadonlySet<TeamName>>()

/** The teams of the organisation that own an entity. Worked out once for a snapshot. */
export function owningTeams(snapshot: Snapshot, organisation: string): ReadonlySet<TeamName> {
  const teams = known.get(snapshot) ?? teamsIn(snapshot, organisation)
  known.set(snapshot, teams)
  return teams
}

function teamsIn({ entities }: Snapshot, organisation: string): ReadonlySet<TeamName> {
  const owners = new Set(entities.map(({ card }) => card.owner))
  const teams = new Set<TeamName>()
  for (const owner of owners) {
    const found = owner === null ? undefined : teamOwner(owner)
    if (found?.organisation === organisation) teams.add(found.team)
  }
  return teams
}
