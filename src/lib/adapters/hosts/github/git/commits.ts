import type { RepositoryId } from '../../../../names.ts'
import type { CommitRequest, GitFailure, Head } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { findClashingPath } from '../../../../git/commit-request.ts'
import { hostError } from '../../hosted/api/client.ts'
import type { GitHub } from '../github.ts'
import { nameOf, notFound } from '../../hosted/known-repositories.ts'
import { type CommitAuthor, writeCommit, writeTree } from './objects.ts'
import { advanceBranch, createBranch } from './refs.ts'
import { rightToWrite } from '../api/refusal.ts'
import { planTree } from './tree-plan.ts'

type Placed = Result<'created' | 'existed' | 'advanced', GitFailure>

/** One commit by the Git database: its tree, the commit, then the branch by compare-and-swap. */
export async function commitChanges(
  github: GitHub,
  repository: RepositoryId,
  request: CommitRequest,
  naming: CommitAuthor,
): Promise<Result<Head, GitFailure>> {
  const { branch, from, changes } = request
  const clash = findClashingPath(changes)
  if (clash !== undefined) return hostError(`two changes claim ${clash}`)
  const parent = from.kind === 'advance' ? from.expected : from.parent
  const parentTree = await github.trees.ofCommit(repository, parent)
  if (!parentTree.ok)
    return from.kind === 'advance' ? lostOr(github, repository, request, parentTree) : parentTree

  const plan = await planTree(github.trees, repository, parentTree.value, changes)
  if (!plan.ok) return plan
  let tree = parentTree.value
  for (const step of plan.value) {
    const written = await writeTree(github, repository, { base: tree, changes: step })
    if (!written.ok) return deniedOr(github, repository, changes, written)
    tree = written.value
  }
  if (tree === parentTree.value) return err({ kind: 'git_nothing_to_commit' })

  const at = github.clock.now()
  const { message, author } = request
  const made = { tree, parents: [parent], message, author, at }
  const commit = await writeCommit(github, repository, made, naming)
  if (!commit.ok) return deniedOr(github, repository, changes, commit)
  const placed = await github.inTurn<Placed>(`${nameOf(repository)}:${branch}`, () =>
    from.kind === 'create'
      ? createBranch(github, repository, branch, commit.value)
      : advanceBranch(github, repository, branch, {
          expected: from.expected,
          commit: commit.value,
        }),
  )
  if (!placed.ok) return placed
  if (placed.value === 'created') github.freshBranches.set(`${nameOf(repository)}#${branch}`, true)
  github.kept.keepTreeOf(repository, commit.value, tree)
  return ok({ branch, commit: commit.value })
}

type Failed = Extract<Result<never, GitFailure>, { readonly ok: false }>

/** A branch cannot stand at a commit that is not there. */
async function lostOr(
  github: GitHub,
  repository: RepositoryId,
  { branch }: CommitRequest,
  otherwise: Failed,
): Promise<Result<never, GitFailure>> {
  const isCommit = otherwise.error.kind === 'git_not_found' && otherwise.error.what === 'commit'
  if (!isCommit) return otherwise
  const tip = await github.branches.tipOf(repository, branch)
  if (!tip.ok) return tip
  return tip.value === null ? notFound('branch') : err({ kind: 'git_conflict', branch })
}

/** GitHub answers a write with 404 also when the credentials do not allow it. */
async function deniedOr(
  { known }: GitHub,
  repository: RepositoryId,
  changes: CommitRequest['changes'],
  failed: Failed,
): Promise<Result<never, GitFailure>> {
  if (failed.error.kind !== 'git_not_found') return failed
  const asked = await known.ask(repository)
  return asked.ok
    ? err({ kind: 'git_denied', what: `${rightToWrite(changes)} on ${nameOf(repository)}` })
    : asked
}
