import type { BranchName, ObjectId, RepositoryId } from '../../names.ts'
import type { Author, FileChange, GitFailure, GitHost, Head } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { addsOnly } from './adds-only.ts'
import { isBranchAbsent } from './numbered-branches.ts'

export type WrittenFile = Extract<FileChange, { kind: 'write' }>

/** The content of a new branch: one commit that adds files to the default branch. */
export interface BranchContent {
  readonly repository: RepositoryId
  /** Default branch, and the commit on it that the new branch starts from. */
  readonly base: Head
  readonly files: readonly WrittenFile[]
  readonly message: string
  readonly author: Author
}

export async function createBranch(
  gitHost: Pick<GitHost, 'commit'>,
  { repository, base, files: changes, message, author }: BranchContent,
  branch: BranchName,
): Promise<Result<ObjectId, GitFailure>> {
  const from = { kind: 'create', parent: base.commit } as const
  const committed = await gitHost.commit(repository, { branch, from, changes, message, author })
  return committed.ok ? ok(committed.value.commit) : committed
}

/** The last commit of a branch that an earlier call left with exactly these files, or `null`: the branch is somebody else's. */
export async function adoptBranch(
  gitHost: Pick<GitHost, 'head' | 'listFiles'>,
  { repository, base, files }: BranchContent,
  branch: BranchName,
): Promise<Result<ObjectId | null, GitFailure>> {
  const head = await gitHost.head(repository, branch)
  // Deleted meanwhile: a lost race like any other.
  if (!head.ok) {
    return isBranchAbsent(head.error) ? err({ kind: 'git_branch_exists', branch }) : head
  }
  const { commit } = head.value
  const isSame = await addsOnly(gitHost, repository, { base: base.commit, head: commit }, files)
  if (!isSame.ok) return isSame
  return ok(isSame.value ? commit : null)
}
