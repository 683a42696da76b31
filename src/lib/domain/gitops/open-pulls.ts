import type { BranchName, RepositoryId } from '../../names.ts'
import type { GitFailure, GitHost, PullRequest } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import { isNumbered } from './numbered-branches.ts'

/** A longer listing would cost a busy repository many pages for each request. */
const LISTED_MAX = 1_000

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
    const branches = await gitHost.listBranches(repository, name)
    if (!branches.ok) return branches
    const asked = await Promise.all(
      branches.value
        .filter((head) => isNumbered(head, name))
        .map((head) => gitHost.findPullRequests(repository, { ...open, head })),
    )
    for (const pulls of asked) {
      if (!pulls.ok) return pulls
      for (const pull of pulls.value) byNumber.set(pull.number, pull)
    }
  }
  return ok([...byNumber.values()].toSorted((a, b) => b.number - a.number))
}
