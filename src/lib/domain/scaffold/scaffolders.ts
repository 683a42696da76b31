import { managersOf } from '../access/principal.ts'

/** Groups one of which may start projects of a team, the strongest first. */
export const scaffoldersOf = (team: string, platformGroup: string): readonly string[] => [
  platformGroup,
  team,
  managersOf(team),
]
