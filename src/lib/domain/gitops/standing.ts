import type { BranchName, RepositoryId } from '../../names.ts'
import type { GitFailure, GitHost, PullRequest } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import { listNumbered, listWithRoom, numbersIn } from './numbered-branches.ts'

/** A longer listing would cost a busy repository many pages for each request. */
const LISTED_MAX = 1_000

/** The branches and pull requests that the git host has of a proposal. */
export type Standing =
  | { readonly kind: 'open'; readonly pull: PullRequest }
  | {
      readonly kind: 'absent'
      /** The highest branch, if it never had a pull request: a killed process left it, or it is somebody's. */
      readonly unopened: BranchName | null
      readonly next: BranchName
    }

/** A standing that was read before its request was decided. */
export interface KnownStanding {
  readonly standing: Standing
  /** `false`: another proposal may have changed it since, and it is read again. */
  readonly isCurrent: boolean
}

export interface StandingQuery {
  readonly repository: RepositoryId
  readonly base: { readonly branch: BranchName }
  /** Name of the proposal's branches, see `numbered-branches.ts`. */
  readonly name: BranchName
  /** Whether the proposal opened this pull request from one of its branches. */
  readonly isOurs: (pullRequest: PullRequest) => boolean
}

/**
 * `listed`: the open pull requests, if they were read already. A branch is used for one pull request only: those that ended, lead into
 * another branch or are somebody else's keep theirs.
 */
export async function readStanding(
  gitHost: Pick<GitHost, 'listBranches' | 'findPullRequests'>,
  { repository, base, name, isOurs }: StandingQuery,
  listed?: readonly PullRequest[],
): Promise<Result<Standing, GitFailure>> {
  const pulls =
    listed === undefined
      ? await findOpenPulls(gitHost, repository, base.branch, [name])
      : ok(listed)
  if (!pulls.ok) return pulls
  const pull = pulls.value.find(isOurs)
  if (pull !== undefined) return ok({ kind: 'open', pull })

  const branches = await listWithRoom(gitHost, repository, name)
  if (!branches.ok) return branches
  const { highest, next } = numbersIn(branches.value, name)
  if (highest === null) return ok({ kind: 'absent', unopened: null, next })
  const used = await gitHost.findPullRequests(repository, { head: highest, limit: 1 })
  if (!used.ok) return used
  const [newest] = used.value
  if (newest === undefined) return ok({ kind: 'absent', unopened: highest, next })
  // Another process opened it after the listing.
  const isOpen = newest.state === 'open' && newest.base === base.branch && isOurs(newest)
  return ok(isOpen ? { kind: 'open', pull: newest } : { kind: 'absent', unopened: null, next })
}

/**
 * Open pull requests into a branch, newest first. One listing as a rule. Where there are more than it holds, those from the branches of
 * these names are asked for as well, so that none of them is missed.
 */
export async function findOpenPulls(
  gitHost: Pick<GitHost, 'findPullRequests' | 'listBranches'>,
  repository: RepositoryId,
  base: BranchName,
  names: readonly BranchName[],
): Promise<Result<readonly PullRequest[], GitFailure>> {
  const open = { base, state: 'open' } as const
  const listed = await gitHost.findPullRequests(repository, { ...open, limit: LISTED_MAX })
  if (!listed.ok || listed.value.length < LISTED_MAX) return listed

  const byNumber = new Map(listed.value.map((pull) => [pull.number, pull]))
  for (const name of names) {
    const branches = await listNumbered(gitHost, repository, name)
    if (!branches.ok) return branches
    const asked = await Promise.all(
      branches.value.map((head) => gitHost.findPullRequests(repository, { ...open, head })),
    )
    for (const pulls of asked) {
      if (!pulls.ok) return pulls
      for (const pull of pulls.value) byNumber.set(pull.number, pull)
    }
  }
  return ok([...byNumber.values()].toSorted((a, b) => b.number - a.number))
}
