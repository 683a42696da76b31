import { type BranchName, type RepositoryId, TeamName } from '../../names.ts'
import type { ChangedFile, MergePolicy, PushRule } from '../../ports/forge.ts'
import { isMember, managersOf, type Principal } from '../access/principal.ts'
import { authorOf } from '../gitops/requesters.ts'

export interface MergeRules extends Omit<MergePolicy, 'approvals'> {
  readonly platformGroup: string
  readonly gitops: RepositoryId
  /** Folder of the catalog in the gitops repository. */
  readonly catalogDirectory: string
}

export interface Merge {
  readonly repository: RepositoryId
  /** The team that the repository was made for; `null` when that is not known. */
  readonly team: string | null
  readonly base: BranchName
  readonly defaultBranch: BranchName
  readonly files: readonly Pick<ChangedFile, 'rawPath'>[]
}

/** The team that a merge concerns, the groups whose members may merge, close and approve, and whether its files make the difference. */
export function mergeRights(
  rules: MergeRules,
  { repository, team, base, defaultBranch, files }: Merge,
): {
  readonly team: string | null
  readonly groups: readonly string[]
  readonly isByFiles: boolean
} {
  const isGitops = spellingOf(repository) === spellingOf(rules.gitops)
  const concerned = isGitops ? teamOfPaths(rules, files) : team
  const role = isGitops ? rules.gitopsRole : rules.role
  // Other branches belong to whoever made them.
  const own = concerned === null || base !== defaultBranch ? [] : groupsOf(role, concerned)
  return { team: concerned, groups: [rules.platformGroup, ...own], isByFiles: isGitops }
}

/** Some file systems find a repository by other letters too. */
const spellingOf = ({ owner, name }: RepositoryId): string => `${owner}/${name}`.toLowerCase()

function groupsOf(role: MergePolicy['role'], team: string): readonly string[] {
  if (role === 'platform') return []
  return role === 'manager' ? [managersOf(team)] : [team, managersOf(team)]
}

/** The team in whose folders every path lies; `null` for none, or several. */
function teamOfPaths(
  { catalogDirectory }: MergeRules,
  files: readonly Pick<ChangedFile, 'rawPath'>[],
): string | null {
  const folders = ['apps/', `${catalogDirectory}/`]
  const teams = new Set(
    files.map(({ rawPath }) => {
      const folder = folders.find((each) => rawPath.startsWith(each))
      const [team, ...rest] = folder === undefined ? [] : rawPath.slice(folder.length).split('/')
      return rest.length === 0 ? undefined : TeamName.parse(team)
    }),
  )
  const [team] = teams
  return teams.size === 1 && team !== undefined ? team : null
}

const PROTECTED = 'this branch changes by pull requests, for those who may not merge into it'

/**
 * The right of a person to push: the default branch as they may merge into it, tags to the repositories of their teams, and branches that they have
 * created. The platform team may push everything.
 */
export const pushRuleFor =
  (
    person: Principal,
    { platformGroup, role }: Pick<MergeRules, 'platformGroup' | 'role'>,
  ): PushRule =>
  ({ team, ref, change, isDefaultBranch, creator }) => {
    const isOf = (groups: readonly string[]) => groups.some((group) => isMember(person, group))
    if (isOf([platformGroup])) return null
    if (isDefaultBranch) return team !== null && isOf(groupsOf(role, team)) ? null : PROTECTED
    if (!ref.startsWith('refs/heads/')) {
      const isTeams = team !== null && isOf([team, managersOf(team)])
      return isTeams ? null : 'tags are for the team of this repository'
    }
    if (change === 'create' || creator?.email === authorOf(person).email) return null
    return `this branch belongs to ${creator?.name ?? 'somebody else'}`
  }

/** A deploy token is nobody who may merge. */
export const deployTokenRule: PushRule = ({ isDefaultBranch }) =>
  isDefaultBranch ? PROTECTED : null
