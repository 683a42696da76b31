import { BranchName, type RepositoryId } from '../../names.ts'
import type { GitFailure, GitHost } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'

/**
 * Refuses a branch before anything is made for it: git has no room for `a/b/c` beside a branch `a/b`, and no later attempt would
 * succeed either. A branch `a/b/c/d` blocks it as well, but no host lists branches below a name cheaply: the commit finds it.
 */
export async function refuseBlockedBranch(
  gitHost: Pick<GitHost, 'head'>,
  repository: RepositoryId,
  branch: BranchName,
): Promise<Result<void, GitFailure>> {
  const parts = branch.split('/')
  const above = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
  const heads = await Promise.all(above.map((by) => gitHost.head(repository, BranchName.of(by))))
  for (const head of heads) {
    if (head.ok) return err({ kind: 'git_branch_blocked', branch, by: head.value.branch })
    if (!isBranchAbsent(head.error)) return head
  }
  return ok(undefined)
}

export const isBranchAbsent = (failure: GitFailure): boolean =>
  failure.kind === 'git_not_found' && failure.what === 'branch'
