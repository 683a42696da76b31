/** The part of the session that decides. */
interface Requester {
  readonly teams: readonly string[]
  readonly platform: boolean
  readonly groupsKnown: boolean
  readonly groupsAdvice: string | null
}

/** Why a person cannot start a project for a team, and whom to ask; `null` when nothing is against it. */
export function refusalFor(
  { teams, platform, groupsKnown, groupsAdvice }: Requester,
  team: string,
): string | null {
  if (platform || teams.includes(team)) return null
  if (!groupsKnown) return groupsAdvice ?? 'Your groups are not known. Sign in again.'
  if (teams.length === 0) {
    return 'You are in no team. Ask the platform team to add you to one.'
  }
  if (team === '') return 'Choose the team that owns the project.'
  return `Only members of ${team} start projects for it. Ask them, or the platform team.`
}
