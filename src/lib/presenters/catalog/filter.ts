import { type Static, Type } from 'typebox'
import { ownTeams, type Principal } from '../../domain/access/principal.ts'
import { type CatalogFilter, foldCase } from '../../domain/catalog/query.ts'
import { FilterValues } from '../filter-values.ts'

/** Query parameters that select entities. */
export const filterParameters = {
  kind: FilterValues('Only entities of these kinds, case-insensitive'),
  system: FilterValues('Only entities of these systems, case-insensitive'),
  owner: FilterValues(
    'Only entities of these owners, as `group:acme/payments`, `acme/payments` or `payments`',
  ),
  lifecycle: FilterValues('Only entities with these lifecycles, case-insensitive'),
  type: FilterValues('Only entities of these types, such as `service`, case-insensitive'),
  tag: FilterValues('Only entities with one of these tags, case-insensitive'),
  mine: Type.Boolean({
    default: false,
    description: 'Only entities that a team of the caller owns; the platform team counts as one',
  }),
  q: Type.String({
    maxLength: 200,
    default: '',
    description:
      'Full text: every term must occur in name, title, description, tags, type, system, owner or annotations',
  }),
}

const Query = Type.Object(filterParameters)

/** The filter of a caller's query: equal for all spellings that select the same. */
export const filterOf = (
  { kind, system, owner, lifecycle, type, tag, mine, q }: Static<typeof Query>,
  principal: Principal,
  platformGroup: string,
): CatalogFilter => {
  const ownedBy = mine ? ownTeams(principal, platformGroup) : null
  return foldCase({ kind, system, owner, lifecycle, type, tag, ownedBy, q })
}
