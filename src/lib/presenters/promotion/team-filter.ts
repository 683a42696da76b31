import { type Static, Type } from 'typebox'
import { ownTeams, type Principal } from '../../domain/access/principal.ts'
import type { TeamFilter } from '../../domain/promotion/overview/rows.ts'
import { FilterValues } from '../filter-values.ts'

/** Query parameters that select applications by their team. */
export const teamParameters = {
  team: FilterValues('Only applications of these teams, such as `payments`'),
  mine: Type.Boolean({
    default: false,
    description:
      'Only applications that a team of the caller owns; the platform team counts as one',
  }),
}

const Query = Type.Object(teamParameters)

/** Equal for all spellings that select the same. */
export const teamFilterOf = (
  { team, mine }: Static<typeof Query>,
  principal: Principal,
  platformGroup: string,
): TeamFilter => ({
  team: [...new Set(team)].toSorted(),
  ownedBy: mine ? ownTeams(principal, platformGroup) : null,
})
