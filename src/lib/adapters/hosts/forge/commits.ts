import type { BranchName } from '../../../names.ts'
import type { CommitRequest, GitFailure, Head } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { importCommit } from '../../../git/fast-import.ts'
import { resolveObjects } from '../../../git/objects.ts'
import { branchRef, readRefs } from '../../../git/refs.ts'
import type { OpenRepository } from './repositories.ts'

export async function commitChanges(
  { directory, changeRefs, signing }: OpenRepository,
  { branch, from, changes, message, author }: CommitRequest,
  now: number,
): Promise<Result<Head, GitFailure>> {
  const parent = from.kind === 'advance' ? from.expected : from.parent
  const found = await resolveObjects(directory, [branchRef(branch), `${parent}^{commit}`])
  if (!found.ok) return found
  const [tip = null, parentCommit = null] = found.value
  if (from.kind === 'create' && tip !== null) return err({ kind: 'git_branch_exists', branch })
  if (from.kind !== 'create') {
    if (tip === null) return err({ kind: 'git_not_found', what: 'branch' })
    if (tip.id !== from.expected) return err({ kind: 'git_conflict', branch })
  }
  if (parentCommit === null) return err({ kind: 'git_not_found', what: 'commit' })

  const commitToMake = { parent, changes, message, author, at: now, signing }
  const imported = await importCommit(directory, commitToMake)
  if (!imported.ok) return imported
  const { commit, tree, parentTree } = imported.value
  if (tree === parentTree) return err({ kind: 'git_nothing_to_commit' })

  const change = {
    ref: branchRef(branch),
    before: from.kind === 'create' ? null : from.expected,
    after: commit,
  }
  const outcome = await changeRefs([change])
  if (!outcome.ok) return from.kind === 'create' ? blockedOr(outcome, directory, branch) : outcome
  if (outcome.value === 'lost') {
    return err({ kind: from.kind === 'create' ? 'git_branch_exists' : 'git_conflict', branch })
  }
  return ok({ branch, commit })
}

/** Refs are files: `a` is in the way of `a/b`, and the other way round. */
async function blockedOr<Failed>(
  otherwise: Failed,
  directory: string,
  branch: BranchName,
): Promise<Failed | Result<never, GitFailure>> {
  const parts = branch.split('/')
  const above = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
  const [found, below] = await Promise.all([
    resolveObjects(
      directory,
      above.map((name) => `refs/heads/${name}`),
    ),
    readRefs(directory, [branchRef(branch)]),
  ])
  if (!found.ok || !below.ok) return otherwise
  const [first] = below.value.keys()
  const by =
    above.find((_, index) => found.value[index] !== null) ?? first?.slice('refs/heads/'.length)
  return by === undefined ? otherwise : err({ kind: 'git_branch_blocked', branch, by })
}
