import type { BranchName, RepositoryId } from '../../names.ts'
import type { CommitRequest, GitFailure, GitHost, Head } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'

/**
 * Takes over a branch without a pull request whose only commit is Portico's, which a killed process left. Its commit is replaced, not
 * trusted: anybody can copy a trailer. `null`: the branch is somebody else's.
 */
export async function reclaim(
  gitHost: Pick<GitHost, 'head' | 'listCommits'>,
  {
    repository,
    base,
    isOurs,
  }: {
    readonly repository: RepositoryId
    /** The default branch. */
    readonly base: Head
    /** Whether Portico wrote this message of a commit for the change. */
    readonly isOurs: (message: string) => boolean
  },
  branch: BranchName,
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
