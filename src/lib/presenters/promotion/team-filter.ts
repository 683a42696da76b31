import { type Static, Type } from 'typebox'
import { ownTeams, type Principal } from '../../domain/access/principal.ts'
import type { TeamFilter } from '../../domain/promotion/overview/select.ts'

const VALUES_MAX = 50

export const FilterValues = (description: string) =>
  Type.Array(Type.String({ maxLength: 200 }), { maxItems: VALUES_MAX, default: [], description })

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

/** Query parameters of a page. */
export const pageParameters = (items: string) => ({
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'Page size' }),
  offset: Type.Integer({
    minimum: 0,
    maximum: 10_000_000,
    default: 0,
    description: `Number of ${items} to skip`,
  }),
})
