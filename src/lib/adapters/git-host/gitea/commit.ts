import { BranchName, type ObjectId, type RepositoryId } from '../../../names.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { CommitRequest, GitFailure, Head } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { hostError, isUncertain } from '../hosted/client.ts'
import { commitObject, treeObject, type TreeEntry } from '../hosted/git-objects.ts'
import type { RequireCommit } from './commits.ts'
import type { Directory, ReadDirectory } from './directories.ts'
import type { Heads } from './head.ts'
import { push, type PostPack, type Push } from './push/receive-pack.ts'
import { editTree } from './push/tree-edit.ts'
import type { Writable } from './writable.ts'

export interface CommitMeans {
  readonly post: PostPack
  readonly heads: Pick<Heads, 'tipOf' | 'list'>
  readonly requireCommit: RequireCommit
  readonly readDirectory: ReadDirectory
  readonly requireWritable: Writable
  readonly clock: Clock
}

type Committed = Result<Head, GitFailure>

/** Commits by git's push protocol; `docs/decisions/gitea.md`. */
export const createCommit =
  ({ post, heads, requireCommit, readDirectory, requireWritable, clock }: CommitMeans) =>
  async (
    repository: RepositoryId,
    { branch, from, changes, message, author }: CommitRequest,
  ): Promise<Committed> => {
    const writable = await requireWritable(repository)
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
      return (await standingInTheWay(heads, repository, { branch, from })) ?? NOTHING
    }
    const commit = commitObject({
      tree,
      parents: [parent],
      author,
      at: clock.now(),
      message,
    })
    return pushCommit(
      { post, heads },
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
  { tipOf }: Pick<Heads, 'tipOf'>,
  repository: RepositoryId,
  { branch, from }: Pick<CommitRequest, 'branch' | 'from'>,
): Promise<Result<never, GitFailure> | undefined> {
  const tip = await tipOf(repository, branch)
  if (!tip.ok) return tip
  if (from.kind === 'create') {
    return tip.value === null ? undefined : err({ kind: 'git_branch_exists', branch })
  }
  if (tip.value === null) return err({ kind: 'git_not_found', what: 'branch' })
  return tip.value === from.expected ? undefined : err({ kind: 'git_conflict', branch })
}

/** Pushes one commit and finds out why a push was refused. An answer that was lost is found again on the branch. */
export async function pushCommit(
  { post, heads }: Pick<CommitMeans, 'post' | 'heads'>,
  request: Push,
): Promise<Committed> {
  const { repository, branch, after } = request
  const done = ok({ branch, commit: after })
  const outcome = await push(post, request)
  if (outcome.ok && outcome.value === null) return done
  if (!outcome.ok && !isUncertain(outcome.error)) return outcome
  const tip = await heads.tipOf(repository, branch)
  // A push that was refused may be ours as well: proxies and `fetch` itself repeat requests.
  if (tip.ok && tip.value === after) return done
  if (!outcome.ok) return outcome
  return tip.ok ? explain(heads, request, tip.value, outcome.value ?? '') : tip
}

async function explain(
  heads: Pick<Heads, 'tipOf' | 'list'>,
  { repository, branch, before }: Push,
  tip: ObjectId | null,
  why: string,
): Promise<Result<never, GitFailure>> {
  if (before !== null) {
    if (tip === null) return err({ kind: 'git_not_found', what: 'branch' })
    // The branch is as expected when the push lost against one that failed, or was taken back.
    return tip !== before || /cannot lock ref/.test(why)
      ? err({ kind: 'git_conflict', branch })
      : hostError(`a push was refused: ${why}`)
  }
  if (tip !== null) return err({ kind: 'git_branch_exists', branch })
  const blocker = await blockerOf(heads, repository, branch)
  if (!blocker.ok) return blocker
  return blocker.value === null
    ? hostError(`a push was refused: ${why}`)
    : err({ kind: 'git_branch_blocked', branch, by: blocker.value })
}

/** Refs are files: `a` is in the way of `a/b`, and the other way round. */
async function blockerOf(
  { tipOf, list }: Pick<Heads, 'tipOf' | 'list'>,
  repository: RepositoryId,
  branch: BranchName,
): Promise<Result<BranchName | null, GitFailure>> {
  const parts = branch.split('/')
  for (let length = 1; length < parts.length; length += 1) {
    const above = BranchName.of(parts.slice(0, length).join('/'))
    const tip = await tipOf(repository, above)
    if (!tip.ok) return tip
    if (tip.value !== null) return ok(above)
  }
  const below = await list(repository, `${branch}/`)
  return below.ok ? ok(below.value[0] ?? null) : below
}
