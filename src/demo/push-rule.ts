import type { PushRule } from '../lib/adapters/hosts/forge/index.ts'
import type { Person } from './people.ts'

const PROTECTED =
  'this branch is protected: the platform team pushes to it, and merges pull requests of the portal'

/**
 * Teams push to the repositories of their applications, the platform team to all. Elsewhere the default branch changes by pull
 * request, and people keep to the branches that they have created.
 */
export const pushRuleFor =
  ({ email, groups }: Pick<Person, 'email' | 'groups'>, platformGroup: string): PushRule =>
  ({ team, ref, change, isDefaultBranch, creator }) => {
    const isOf = (group: string) => groups.includes(group)
    if (isOf(platformGroup)) return null
    const isOwnRepository = team !== null && isOf(team)
    if (isDefaultBranch) return isOwnRepository ? null : PROTECTED
    if (!ref.startsWith('refs/heads/')) {
      return isOwnRepository ? null : 'tags are for the team of this repository'
    }
    if (change === 'create' || creator?.email === email) return null
    return `this branch belongs to ${creator?.name ?? 'somebody else'}`
  }
