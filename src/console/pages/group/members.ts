import type { AnswerOf } from '../../api/call.ts'
import type { components } from '../../api/schema.gen.ts'
import { shortName } from '../../ui/names.ts'

export interface Member {
  readonly user: string
  readonly title: string
  /** The catalog has this user. */
  readonly isKnown: boolean
}

type User = Pick<AnswerOf<'get', '/api/v1/catalog/entities'>[number], 'metadata' | 'spec'>
type Fields = Readonly<Record<string, unknown>> | undefined

/** The members of a team as the files of the team and of its users say, by name. */
export function membersOf(team: string, spec: Fields, users: readonly User[]): readonly Member[] {
  const byName = new Map(users.map((user) => [user.metadata.name.toLowerCase(), user] as const))
  const named = namesIn(spec?.['members'])
  const stated = users
    .filter((user) => namesIn(user.spec?.['memberOf']).includes(team))
    .map(({ metadata }) => metadata.name.toLowerCase())
  return [...new Set([...named, ...stated])].toSorted().map((user) => {
    const known = byName.get(user)
    return { user, title: known?.metadata.title ?? user, isKnown: known !== undefined }
  })
}

/** `user:acme/dana` → `dana`. Files may have anything. */
const namesIn = (value: unknown): readonly string[] =>
  Array.isArray(value)
    ? value.flatMap((name) => (typeof name === 'string' ? shortName(name).toLowerCase() : []))
    : []

interface Role {
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
