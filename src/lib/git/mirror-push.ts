import { type BranchName, ObjectId, type RepositoryId } from '../names.ts'
import type { CommitRequest, GitAnswer, GitFailure } from '../ports/git-host.ts'
import { err, ok, type Result } from '../result.ts'
import { type GitOutput, hostError, runGit } from './git.ts'
import { isUncertain, refusedPush } from './host-words.ts'
import type { MirrorStore } from './mirror-store.ts'
import { branchRef, type Branches, branchesIn } from './refs.ts'
import { overNetwork, readRemoteRefs, type Remote } from './remote.ts'

/** Makes a commit by the API of the host, which may sign it, where a branch stands at its parent. */
export type CommitOnHost = (
  repository: RepositoryId,
  request: CommitRequest,
) => Promise<Result<ObjectId, RefusedCommit>>

export interface RefusedCommit {
  readonly failure: GitFailure
  /** The host has made the branch of the request, and perhaps no commit. */
  readonly hasMadeBranch: boolean
}

/** A move of a branch by compare-and-swap. `before`: `null` when it is to be made. `after`: `null` when it is to be removed. */
export interface BranchMove {
  readonly branch: BranchName
  readonly before: ObjectId | null
  readonly after: ObjectId | null
}

/** Commits of branches of the host, by the names of these. */
export async function readHostBranches(
  remote: Remote,
  id: RepositoryId,
  directory: string,
): GitAnswer<Branches> {
  const refs = await readRemoteRefs(remote, id, directory, 'refs/heads/*')
  return refs.ok ? ok(branchesIn(refs.value)) : refs
}

/** Why the branches of a repository do not allow a move. `undefined`: they do. */
export function obstacleOf(
  tips: Branches,
  { branch, before, after }: BranchMove,
): GitFailure | undefined {
  const tip = tips.get(branch) ?? null
  if (tip !== before) {
    if (before === null) return { kind: 'git_branch_exists', branch }
    return tip === null && after !== null
      ? { kind: 'git_not_found', what: 'branch' }
      : { kind: 'git_conflict', branch }
  }
  // Refs are files: `a` is in the way of `a/b`, and the other way round.
  const by = tips
    .keys()
    .find((name) => branch.startsWith(`${name}/`) || name.startsWith(`${branch}/`))
  return by === undefined ? undefined : { kind: 'git_branch_blocked', branch, by }
}

/** Moves a branch of the host. What a push did is looked up unless it said that it worked. */
export async function pushBranch(
  remote: Remote,
  store: Pick<MirrorStore, 'withCommits'>,
  id: RepositoryId,
  directory: string,
  move: BranchMove,
): GitAnswer<void> {
  const { branch, before, after } = move
  const ref = branchRef(branch)
  const options = ['--porcelain', '--no-verify', `--force-with-lease=${ref}:${before ?? ''}`]
  const pushed = await overNetwork(
    remote,
    id,
    directory,
    (url) => ['push', ...options, '--end-of-options', url, `${after ?? ''}:${ref}`],
    { isRepeatable: false },
  )
  if (pushed.ok && pushed.value.code === 0) return ok(undefined)
  if (!pushed.ok && !isUncertain(pushed.error)) return pushed
  const tips = await readHostBranches(remote, id, directory)
  if (!tips.ok) return pushed.ok ? tips : pushed
  const tip = tips.value.get(branch) ?? null
  if (tip === after) return ok(undefined)
  if (pushed.ok) return err(refusalOf(remote, id, move, pushed.value, tips.value))
  return after !== null && (await isWithin(store, id, after, tip)) ? ok(undefined) : pushed
}

/** Whether somebody went on from a commit. */
async function isWithin(
  store: Pick<MirrorStore, 'withCommits'>,
  id: RepositoryId,
  commit: ObjectId,
  tip: string | null,
): Promise<boolean> {
  const later = ObjectId.parse(tip)
  if (later === undefined) return false
  const directory = await store.withCommits(id, { commits: [later], history: true })
  if (!directory.ok) return false
  const asked = await runGit(directory.value, ['merge-base', '--is-ancestor', commit, later])
  return asked.ok && asked.value.code === 0
}

function refusalOf(
  remote: Remote,
  repository: RepositoryId,
  move: BranchMove,
  { stdout, stderr }: GitOutput,
  tips: Branches,
): GitFailure {
  const { branch } = move
  const report = stdout.toString()
  if (/\[remote rejected\].*(?:declined|denied|protected|prohibited|refusing)/.test(report)) {
    return refusedPush(`${stderr}\n${report}`, { remote, repository, branch })
  }
  const obstacle = obstacleOf(tips, move)
  if (obstacle !== undefined) return obstacle
  // The branch is as expected when the push lost against one that failed, or was taken back.
  return /cannot lock ref|stale info|failed to update ref/.test(report)
    ? { kind: 'git_conflict', branch }
    : hostError(`a push was refused: ${`${report} ${stderr}`.trim().slice(0, 300)}`)
}
