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

export type AdoptingGitHost = Pick<GitHost, 'head' | 'listCommits' | 'listFiles'>

/**
 * The last commit of a branch that an earlier call left with exactly these files, or `null`: the branch is somebody else's. The default
 * branch may have moved on since.
 */
export async function adoptBranch(
  gitHost: AdoptingGitHost,
  { repository, base, files }: BranchContent,
  branch: BranchName,
): Promise<Result<ObjectId | null, GitFailure>> {
  const head = await gitHost.head(repository, branch)
  // Deleted meanwhile: a lost race like any other.
  if (!head.ok) {
    return isBranchAbsent(head.error) ? err({ kind: 'git_branch_exists', branch }) : head
  }
  const { commit } = head.value
  const range = { of: commit, without: base.commit, limit: 2 }
  const commits = await gitHost.listCommits(repository, range)
  if (!commits.ok) return commits
  const [own, ...others] = commits.value
  const [beginning, ...merged] = own?.parents ?? []
  // A merge may take back what the default branch has.
  if (beginning === undefined || merged.length > 0 || others.length > 0) return ok(null)
  const isSame = await addsOnly(gitHost, repository, { base: beginning, head: commit }, files)
  if (!isSame.ok) return isSame
  return ok(isSame.value ? commit : null)
}
