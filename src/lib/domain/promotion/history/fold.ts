import type { ObjectId } from '../../../names.ts'
import type { Commit, PullRequest } from '../../../ports/git-host.ts'
import { isOurs, isPullOf, type Move } from '../move.ts'

/** A commit of the default branch that changed the overlay, and the merged pull request that it is of. */
export interface OverlayCommit extends Commit {
  readonly pull: PullRequest | null
}

/** A change of an overlay: a merged pull request with all its commits, or a commit without one. */
export interface OverlayChange {
  /** The commit on the default branch that has the change. */
  readonly commit: ObjectId
  /** The merge, else the commit, in milliseconds since the Unix epoch. `null`: the commit has no time. */
  readonly at: number | null
  /** The portal's move; `null` for a change past the portal. */
  readonly act: Move['act'] | null
  readonly pull: PullRequest | null
  /** The author of the commit, unless that is a merge. */
  readonly authorName: string | null
}

/**
 * Folds commits, newest first, into changes. A rebase leaves several commits, and the host may know the pull request of the last one alone:
 * the portal's own before it carry the trailer, and so do those that CI made between two of them belong to it.
 */
export function foldCommits(
  commits: readonly OverlayCommit[],
  moves: readonly Move[],
): readonly OverlayChange[] {
  const changes: OverlayChange[] = []
  /** Index behind the portal's change that may have been rebased. */
  let rebased = -1
  for (const commit of commits) {
    const { id, pull, parents, authorName, committedAt } = commit
    const act = actOf(commit, moves)
    if (pull !== null && pull.number === changes.at(-1)?.pull?.number) continue
    if (pull === null && act !== null && rebased >= 0) {
      changes.splice(rebased)
      continue
    }
    const isMerge = parents.length > 1
    changes.push({
      commit: id,
      at: pull?.closedAt ?? committedAt,
      act,
      pull,
      authorName: isMerge ? null : authorName,
    })
    if (pull !== null) rebased = act !== null && !isMerge ? changes.length : -1
  }
  return changes
}

const actOf = ({ pull, message }: OverlayCommit, moves: readonly Move[]): Move['act'] | null =>
  moves.find((move) => (pull === null ? isOurs(message, move) : isPullOf(pull, move)))?.act ?? null
