import type { components } from '../../api/schema.gen.ts'

export interface Role {
  /** As the identity provider names it. */
  readonly group: string
  readonly may: string
  readonly isYours: boolean
}

type Person = Pick<components['schemas']['Session'], 'groups'>

/** The groups of a team, with what they may do. Their members are known to the identity provider alone. */
export const rolesOf = (team: string, person: Person | undefined): readonly Role[] =>
  [
    { group: team, may: 'Start projects, promote to the first environment, release there' },
    { group: `${team}:Managers`, may: 'Promote, release and roll back everywhere, deprecate' },
  ].map((role) => ({ ...role, isYours: person?.groups.includes(role.group) === true }))
