import { BranchName, type RepositoryId } from '../../names.ts'
import type { GitFailure, GitHost } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'

/**
 * Before anything is made: beside a branch `a/b` git has no room for `a/b/c`, and no later try would succeed either. A branch
 * `a/b/c/d` would be in the way as well, and is found when ours is made: no host tells cheaply what is below a name.
 */
export async function lookForRoom(
  gitHost: Pick<GitHost, 'head'>,
  repository: RepositoryId,
  branch: BranchName,
): Promise<Result<void, GitFailure>> {
  const parts = branch.split('/')
  const above = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
  const heads = await Promise.all(above.map((by) => gitHost.head(repository, BranchName.of(by))))
  for (const head of heads) {
    if (head.ok) return err({ kind: 'git_branch_blocked', branch, by: head.value.branch })
    if (!isAbsent(head.error)) return head
  }
  return ok(undefined)
}

const isAbsent = (failure: GitFailure): boolean =>
  failure.kind === 'git_not_found' && failure.what === 'branch'
