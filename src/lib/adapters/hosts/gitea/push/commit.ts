import type { ObjectId, RepositoryId } from '../../../../names.ts'
import type { Clock } from '../../../../ports/clock.ts'
import type { CommitRequest, GitFailure, Head } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'
import type { Branches } from '../../hosted/branches.ts'
import { hostError, isUncertain } from '../../hosted/api/client.ts'
import { commitObject, treeObject, type TreeEntry } from '../../hosted/objects/git-objects.ts'
import { type KnownRepositories, notFound } from '../../hosted/known-repositories.ts'
import type { RequireCommit } from '../git/commits.ts'
import type { Directory, ReadDirectory } from '../git/directories.ts'
import { push, type PostPack, type Push } from './receive-pack.ts'
import { editTree } from './tree-edit.ts'

export interface CommitMeans {
  readonly post: PostPack
  readonly branches: Pick<Branches, 'tipOf' | 'blockerOf'>
  readonly requireCommit: RequireCommit
  readonly readDirectory: ReadDirectory
  readonly known: Pick<KnownRepositories, 'requireWritable'>
  readonly clock: Clock
}

type Committed = Result<Head, GitFailure>

/** Commits by git's push protocol; `docs/decisions/gitea.md`. */
export const createCommit =
  ({ post, branches, requireCommit, readDirectory, known, clock }: CommitMeans) =>
  async (
    repository: RepositoryId,
    { branch, from, changes, message, author }: CommitRequest,
  ): Promise<Committed> => {
    const writable = await known.requireWritable(repository)
    if (!writable.ok) return writable
    const parent = from.kind === 'advance' ? from.expected : from.parent
    const found = await requireCommit(repository, parent)
    if (!found.ok) return found
    const root = exactly(await readDirectory(repository, { kind: 'root_of_commit', id: parent }))
    if (!root.ok) return root
    const edited = await editTree(root.value, changes, async (id) =>
      exactly(await readDirectory(repository, { kind: 'tree', id })),
    )
    if (!edited.ok) return edited
    const { tree, objects } = edited.value
    if (tree === treeObject(root.value).id) {
      return (await standingInTheWay(branches, repository, { branch, from })) ?? NOTHING
    }
    const commit = commitObject({
      tree,
      parents: [parent],
      author,
      at: clock.now(),
      message,
    })
    return pushCommit(
      { post, branches },
      {
        repository,
        branch,
        before: from.kind === 'advance' ? from.expected : null,
        after: commit.id,
        objects: [commit, ...objects],
      },
    )
  }

const NOTHING = err({ kind: 'git_nothing_to_commit' })

/** Trees are written from entries that were read: damaged names would change files that nobody named. */
function exactly(
  directory: Result<Directory, GitFailure>,
): Result<readonly TreeEntry[], GitFailure> {
  if (!directory.ok) return directory
  return directory.value.exact
    ? ok(directory.value.entries)
    : hostError('a directory has names that the host cannot tell exactly')
}

/** Changes without effect: a branch that is not as requested is the better answer. */
async function standingInTheWay(
  { tipOf }: Pick<Branches, 'tipOf'>,
  repository: RepositoryId,
  { branch, from }: Pick<CommitRequest, 'branch' | 'from'>,
): Promise<Result<never, GitFailure> | undefined> {
  const tip = await tipOf(repository, branch)
  if (!tip.ok) return tip
  if (from.kind === 'create') {
    return tip.value === null ? undefined : err({ kind: 'git_branch_exists', branch })
  }
  if (tip.value === null) return notFound('branch')
  return tip.value === from.expected ? undefined : err({ kind: 'git_conflict', branch })
}

/** Pushes one commit and finds out why a push was refused. An answer that was lost is found again on the branch. */
export async function pushCommit(
  { post, branches }: Pick<CommitMeans, 'post' | 'branches'>,
  request: Push,
): Promise<Committed> {
  const { repository, branch, after } = request
  const done = ok({ branch, commit: after })
  const outcome = await push(post, request)
  if (outcome.ok && outcome.value === null) return done
  if (!outcome.ok && !isUncertain(outcome.error)) return outcome
  const tip = await branches.tipOf(repository, branch)
  // A push that was refused may be ours as well: proxies and `fetch` itself repeat requests.
  if (tip.ok && tip.value === after) return done
  if (!outcome.ok) return outcome
  return tip.ok ? explain(branches, request, tip.value, outcome.value ?? '') : tip
}

async function explain(
  { blockerOf }: Pick<Branches, 'blockerOf'>,
  { repository, branch, before }: Push,
  tip: ObjectId | null,
  why: string,
): Promise<Result<never, GitFailure>> {
  if (before !== null) {
    if (tip === null) return notFound('branch')
    // The branch is as expected when the push lost against one that failed, or was taken back.
    return tip !== before || /cannot lock ref/.test(why)
      ? err({ kind: 'git_conflict', branch })
      : hostError(`a push was refused: ${why}`)
  }
  if (tip !== null) return err({ kind: 'git_branch_exists', branch })
  const blocker = await blockerOf(repository, branch)
  if (!blocker.ok) return blocker
  return blocker.value === null
    ? hostError(`a push was refused: ${why}`)
    : err({ kind: 'git_branch_blocked', branch, by: blocker.value })
}
