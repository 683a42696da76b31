import { createHash } from 'node:crypto'
import type { BranchName, ObjectId, RepositoryId } from '../../names.ts'
import type { Author, FileChange, GitFailure, GitHost, Head } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
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
  const isSame = await hasOnly(gitHost, repository, { base: base.commit, head: commit }, files)
  if (!isSame.ok) return isSame
  return ok(isSame.value ? commit : null)
}

/** Whether a branch adds exactly these files to its base, to the byte. */
async function hasOnly(
  gitHost: Pick<GitHost, 'listFiles'>,
  repository: RepositoryId,
  { base, head }: { readonly base: ObjectId; readonly head: ObjectId },
  files: readonly WrittenFile[],
): Promise<Result<boolean, GitFailure>> {
  const [before, after] = await Promise.all([
    gitHost.listFiles(repository, { commit: base }),
    gitHost.listFiles(repository, { commit: head }),
  ])
  if (!before.ok) return before
  if (!after.ok) return after
  const expected = new Map<string, string>(before.value.files.map(({ path, blob }) => [path, blob]))
  for (const { path, bytes } of files) expected.set(path, blobIdOf(bytes))
  const actual = after.value.files
  return ok(
    actual.length === expected.size &&
      actual.every(({ path, blob }) => expected.get(path) === blob),
  )
}

/** Git's object id of a file's content: SHA-1 of a header and the bytes. */
const blobIdOf = (bytes: Uint8Array): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
