import { BranchName, type RepositoryId } from '../../names.ts'
import { BRANCHES_MAX, type GitFailure, type GitHost } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'

/**
 * The branches of one name: `name`, `name.2`, `name.3` and so on. Each pull request gets its own, so that it keeps its own history.
 * The branches themselves are the only memory of the numbers.
 */

/** A branch with more digits at its end has a name of somebody's own. */
const DIGITS_MAX = 9
const DIGITS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]

export interface NumberedBranches {
  /** `null`: no branch has the name. */
  readonly highest: BranchName | null
  /** The first name after all that exist, or that have branches below them. */
  readonly next: BranchName
}

/** Number of a branch of this name, or of the one that has the branch below it. */
function numberOf(branch: string, name: BranchName): number | undefined {
  if (!branch.startsWith(name)) return undefined
  const [rest = ''] = branch.slice(name.length).split('/')
  if (rest === '') return 1
  const digits = /^\.([1-9][0-9]*)$/.exec(rest)?.[1]
  return digits === undefined || digits === '1' || digits.length > DIGITS_MAX
    ? undefined
    : Number(digits)
}

const branchOf = (name: BranchName, number: number): BranchName =>
  number === 1 ? name : BranchName.of(`${name}.${number}`)

export const isNumbered = (branch: BranchName, name: BranchName): boolean => {
  const number = numberOf(branch, name)
  return number !== undefined && branch === branchOf(name, number)
}

/** Finds a name's branches among others. */
export function numbersIn(branches: readonly BranchName[], name: BranchName): NumberedBranches {
  const taken = branches.flatMap((branch) => numberOf(branch, name) ?? [])
  const existing = branches.filter((branch) => isNumbered(branch, name))
  const highest = Math.max(...existing.map((branch) => numberOf(branch, name) ?? 0))
  return {
    highest: existing.length === 0 ? null : branchOf(name, highest),
    next: branchOf(name, Math.max(0, ...taken) + 1),
  }
}

/**
 * Lists a name's branches and those below it, among others. Refuses a name that no branch can have: git has no room for `a/b/c`
 * beside a branch `a/b`. One request does both as a rule, because a branch below `a/b/` proves that neither `a` nor `a/b` is one.
 */
export async function listWithRoom(
  gitHost: Pick<GitHost, 'listBranches'>,
  repository: RepositoryId,
  name: BranchName,
): Promise<Result<readonly BranchName[], GitFailure>> {
  const parts = name.split('/')
  const [first = name, ...others] = parts
    .slice(1)
    .map((_, end) => parts.slice(0, end + 1).join('/'))
  const listed = await listToward(gitHost, repository, name, others[0] ?? name)
  if (!listed.ok) return listed
  const by = listed.value.find((branch) => others.includes(branch))
  if (by !== undefined) return err({ kind: 'git_branch_blocked', branch: name, by })
  if (listed.value.some((branch) => branch.startsWith(`${first}/`))) return listed
  // A listing begins with the prefix itself.
  const above = await gitHost.listBranches(repository, first)
  if (!above.ok) return above
  return above.value[0] === first
    ? err({ kind: 'git_branch_blocked', branch: name, by: first })
    : listed
}

/** All branches of a name. */
export async function listNumbered(
  gitHost: Pick<GitHost, 'listBranches'>,
  repository: RepositoryId,
  name: BranchName,
): Promise<Result<readonly BranchName[], GitFailure>> {
  const listed = await listToward(gitHost, repository, name, name)
  return listed.ok ? ok(listed.value.filter((branch) => isNumbered(branch, name))) : listed
}

/**
 * Branches with the prefix, a beginning of the name: all that have the name among them. A full listing has the first branches only,
 * so that longer prefixes list the rest.
 */
async function listToward(
  gitHost: Pick<GitHost, 'listBranches'>,
  repository: RepositoryId,
  name: BranchName,
  prefix: string,
): Promise<Result<readonly BranchName[], GitFailure>> {
  const listed = await gitHost.listBranches(repository, prefix)
  if (!listed.ok || listed.value.length < BRANCHES_MAX) return listed
  const rest = await Promise.all(
    longer(name, prefix).map((each) => listToward(gitHost, repository, name, each)),
  )
  const branches = new Set(listed.value)
  for (const each of rest) {
    if (!each.ok) return each
    for (const branch of each.value) branches.add(branch)
  }
  return ok([...branches])
}

function longer(name: BranchName, prefix: string): readonly string[] {
  if (prefix === name) return [`${name}/`, ...DIGITS.map((digit) => `${name}.${digit}`)]
  if (prefix.length > name.length) {
    const isNumber = prefix.length < name.length + 1 + DIGITS_MAX && !prefix.endsWith('/')
    return isNumber ? DIGITS.map((digit) => `${prefix}${digit}`) : []
  }
  const end = name.indexOf('/', prefix.length + 1)
  return [end < 0 ? name : name.slice(0, end)]
}

export const isBranchAbsent = (failure: GitFailure): boolean =>
  failure.kind === 'git_not_found' && failure.what === 'branch'
