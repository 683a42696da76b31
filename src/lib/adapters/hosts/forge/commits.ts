import type { CommitRequest, GitAnswer, GitFailure, Head } from '../../../ports/git-host.ts'
import { err, ok } from '../../../result.ts'
import { importCommit } from '../../../git/fast-import.ts'
import { missingCommitOr } from '../../../git/log.ts'
import { obstacleOf } from '../../../git/mirror-push.ts'
import { branchesIn, branchRef } from '../../../git/refs.ts'
import type { OpenRepository } from './repositories.ts'

export async function commitChanges(
  { directory, refs, changeRefs, signing }: OpenRepository,
  { branch, from, changes, message, author }: CommitRequest,
  now: number,
): GitAnswer<Head> {
  const parent = from.kind === 'advance' ? from.expected : from.parent
  const before = from.kind === 'create' ? null : from.expected

  /** A branch that is not as requested is a better answer than any other. */
  async function refuse(otherwise: GitFailure): GitAnswer<never> {
    const read = await refs()
    const obstacle =
      read.ok && obstacleOf(branchesIn(read.value.all), { branch, before, after: parent })
    return err(obstacle || otherwise)
  }

  const commitToMake = { parent, changes, message, author, at: now, signing }
  const imported = await importCommit(directory, commitToMake)
  if (!imported.ok) {
    const failed = await missingCommitOr(imported, directory, [parent])
    return failed.ok ? failed : refuse(failed.error)
  }
  const { commit, tree, parentTree } = imported.value
  if (tree === parentTree) return refuse({ kind: 'git_nothing_to_commit' })
  const outcome = await changeRefs([{ ref: branchRef(branch), before, after: commit }])
  if (!outcome.ok) return refuse(outcome.error)
  return outcome.value === 'changed'
    ? ok({ branch, commit })
    : refuse({ kind: 'git_conflict', branch })
}
