import type { CommitRequest, GitFailure, Head } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { importCommit } from './fast-import.ts'
import { resolveObjects } from './objects.ts'
import { branchRef, changeRefs, type RefChange } from './refs.ts'

export interface Committed {
  readonly head: Head
  readonly change: RefChange
}

export async function commitChanges(
  directory: string,
  { branch, from, changes, message, author }: CommitRequest,
  now: number,
): Promise<Result<Committed, GitFailure>> {
  const parent = from.kind === 'advance' ? from.expected : from.parent
  const found = await resolveObjects(directory, [branchRef(branch), `${parent}^{commit}`])
  if (!found.ok) return found
  const [tip = null, parentCommit = null] = found.value
  if (from.kind === 'create' && tip !== null) return err({ kind: 'git_branch_exists', branch })
  if (from.kind === 'advance' && tip === null) return err({ kind: 'git_not_found', what: 'branch' })
  if (from.kind === 'advance' && tip?.id !== parent) return err({ kind: 'git_conflict', branch })
  if (parentCommit === null) return err({ kind: 'git_not_found', what: 'commit' })

  const imported = await importCommit(directory, { parent, changes, message, author, at: now })
  if (!imported.ok) return imported
  const { commit, tree, parentTree } = imported.value
  if (tree === parentTree) return err({ kind: 'git_nothing_to_commit' })

  const change = {
    ref: branchRef(branch),
    before: from.kind === 'advance' ? from.expected : null,
    after: commit,
  }
  const outcome = await changeRefs(directory, [change])
  if (!outcome.ok) return outcome
  if (outcome.value === 'lost') {
    return err({ kind: from.kind === 'advance' ? 'git_conflict' : 'git_branch_exists', branch })
  }
  return ok({ head: { branch, commit }, change })
}
