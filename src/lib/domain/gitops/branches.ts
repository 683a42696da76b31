import { BranchName, type RepositoryId } from '../../names.ts'
import type { CommitRequest, GitFailure, GitHost, Head } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'

/**
 * The branches of one name: `name`, `name.2`, `name.3` and so on. Each pull request gets its own, so that it keeps its own history.
 * The branches themselves are the only memory of the numbers.
 */

/** A branch with more digits at its end has a name of somebody's own. */
const DIGITS_MAX = 9

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

/** The branch that leaves git no room for this name: `a` or `a/b` beside `a/b/c`. */
export async function findBlocking(
  gitHost: Pick<GitHost, 'listBranches'>,
  repository: RepositoryId,
  name: BranchName,
): Promise<Result<string | undefined, GitFailure>> {
  const [top = ''] = name.split('/')
  const listed = await gitHost.listBranches(repository, top)
  return listed.ok ? ok(listed.value.find((branch) => name.startsWith(`${branch}/`))) : listed
}

/**
 * Takes over a branch without a pull request whose only commit is Portico's, which a killed process left. Its commit is replaced, not
 * trusted: anybody can copy a trailer. `null`: the branch is somebody else's. `base`: the default branch. `isOurs`: whether Portico
 * wrote this message of a commit for the change.
 */
export async function reclaim(
  gitHost: Pick<GitHost, 'head' | 'listCommits'>,
  repository: RepositoryId,
  branch: BranchName,
  base: Head,
  isOurs: (message: string) => boolean,
): Promise<Result<CommitRequest['from'] | null, GitFailure>> {
  const head = await gitHost.head(repository, branch)
  if (!head.ok) return head
  const expected = head.value.commit
  const range = { of: expected, without: base.commit, limit: 2 }
  const commits = await gitHost.listCommits(repository, range)
  if (!commits.ok) return commits
  const [own, ...others] = commits.value
  const isSingle = own?.parents.length === 1 && others.length === 0
  return ok(
    isSingle && isOurs(own.message) ? { kind: 'replace', expected, parent: base.commit } : null,
  )
}
