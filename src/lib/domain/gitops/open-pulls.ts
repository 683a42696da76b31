import type { BranchName, RepositoryId } from '../../names.ts'
import type { GitFailure, GitHost, PullRequest } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import { isNumbered, listNumbered } from './numbered-branches.ts'

/** A longer listing would cost a large repository many pages for each request. */
const LISTED_MAX = 1_000

/**
 * Open pull requests from the branches of some names, newest first. One listing as a rule. Where there are more than it holds,
 * those of every existing branch are asked for as well, so that none is missed.
 */
export async function findOpenPulls(
  gitHost: Pick<GitHost, 'findPullRequests' | 'listBranches'>,
  repository: RepositoryId,
  base: BranchName,
  names: readonly BranchName[],
): Promise<Result<readonly PullRequest[], GitFailure>> {
  const open = { base, state: 'open' } as const
  const listed = await gitHost.findPullRequests(repository, { ...open, limit: LISTED_MAX })
  if (!listed.ok) return listed
  const found = listed.value.filter(({ head }) =>
    names.some((name) => isNumbered(head.branch, name)),
  )
  if (listed.value.length < LISTED_MAX) return ok(found)

  const byNumber = new Map(found.map((pull) => [pull.number, pull]))
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
