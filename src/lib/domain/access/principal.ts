import { Label } from '../../names.ts'
import type { Principal } from '../../ports/identity.ts'

export type { Groups, Principal, Via } from '../../ports/identity.ts'

/** Group names are compared exactly, case included. Unknown groups grant nothing. */
export const isMember = ({ groups }: Principal, group: string): boolean =>
  groups.kind === 'known' && groups.names.includes(group)

export const isPlatform = (principal: Principal, platformGroup: string): boolean =>
  isMember(principal, platformGroup)

const MANAGERS = ':Managers'

export const managersOf = (team: string): string => `${team}${MANAGERS}`

/**
 * The teams that make an entity one's own, sorted: those of `teamsOf`, and for its members the platform group. None while the
 * groups are unknown.
 */
export function ownTeams(principal: Principal, platformGroup: string): readonly string[] {
  const teams = teamsOf(principal, platformGroup)
  if (teams === 'unknown') return []
  return isPlatform(principal, platformGroup) ? [...teams, platformGroup].toSorted() : teams
}

/** The teams of `{team}` and `{team}:Managers` groups, sorted. The platform group manages teams and is not one. */
export function teamsOf(
  { groups }: Principal,
  platformGroup: string,
): readonly Label[] | 'unknown' {
  if (groups.kind === 'unknown') return 'unknown'
  const teams = new Set<Label>()
  for (const group of groups.names) {
    const team = Label.parse(group.endsWith(MANAGERS) ? group.slice(0, -MANAGERS.length) : group)
    if (team !== undefined && team !== platformGroup) teams.add(team)
  }
  return [...teams].toSorted()
}
