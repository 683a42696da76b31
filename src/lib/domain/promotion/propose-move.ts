import type { BranchName, ObjectId } from '../../names.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { GitFailure, GitHost, PullRequest } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import type { Requester } from '../gitops/requesters.ts'
import type { PromotionDeps } from './dependencies.ts'
import { isOurs, isPullOf, type Move } from './move.ts'
import type { LockFailure, MoveRun } from './move-runs.ts'
import type { Proposal, Target } from './proposal.ts'

export interface ProposedPullRequest {
  readonly pullRequest: PullRequest
  readonly created: boolean
  /** Whether an open pull request got a commit. */
  readonly updated: boolean
  readonly branch: BranchName
  readonly commit: ObjectId
}

/** Commits to the branch of a move, opens its pull request, and remembers who asked for it. */
export async function proposeMove(
  { gitHost, requesters, moves }: PromotionDeps,
  proposal: Proposal,
  target: Target,
  run: MoveRun,
  secretVersion: number | null = null,
): Promise<Result<ProposedPullRequest, GitFailure | LockFailure | DatabaseFailure>> {
  const accepted = await run.accept({ branch: branchOf(target), secretVersion })
  if (!accepted.ok) return accepted
  const proposed = await propose(gitHost, proposal, target)
  if (!proposed.ok) return proposed
  await moves.invalidate()
  const { pullRequest, created } = proposed.value
  if (!created && run.mayHaveOpened === null) return proposed
  const noted = await requesters.note(pullRequest, proposal.askedBy)
  return noted.ok ? proposed : noted
}

/** Commits to the branch by compare-and-swap, and opens its pull request. A lost race is a failure, see `isLostRace`. */
async function propose(
  gitHost: GitHost,
  { repository, move, base, changes, title, body, message, author }: Proposal,
  { branch, from, pull }: Target,
): Promise<Result<ProposedPullRequest, GitFailure>> {
  const lost = err({ kind: 'git_branch_exists', branch } as const)
  if (pull !== null && from.kind === 'advance' && changes.length === 0) {
    const commit = from.expected
    return ok({ pullRequest: pull, created: false, updated: false, branch, commit })
  }
  const committed = await gitHost.commit(repository, { branch, from, changes, message, author })
  if (!committed.ok) return committed
  const { commit } = committed.value
  if (pull === null) {
    const request = { head: branch, base: base.branch, title, body, author }
    const opened = await gitHost.openPullRequest(repository, request)
    if (!opened.ok) return opened
    // Somebody opened their own from our branch.
    if (!isOurs(opened.value.pullRequest.body, move)) return lost
    if (!opened.value.created) {
      // Another holder of a lost lock opened it, maybe for a commit in the place of this one.
      const head = await gitHost.head(repository, branch)
      if (!head.ok) return head
      if (head.value.commit !== commit) return lost
    }
    return ok({ ...opened.value, updated: false, branch, commit })
  }
  // A pull request that was merged or closed in the meantime does not propose this commit.
  const after = await gitHost.findPullRequests(repository, { number: pull.number })
  if (!after.ok) return after
  const [still] = after.value
  if (still?.state !== 'open') return lost
  return ok({ pullRequest: still, created: false, updated: true, branch, commit })
}

/** Clocks of git hosts differ from ours, and some of them have no milliseconds. */
const SKEW_MS = 10_000

/** The branch of a pull request that is opened. */
export const branchOf = ({ branch, pull }: Target) => (pull === null ? branch : null)

/** The pull request that an attempt before this one has opened and that was merged or closed since. `null`: there is none. */
export async function findEnded(
  { gitHost, repository }: PromotionDeps,
  move: Move,
  { mayHaveOpened }: Pick<MoveRun, 'mayHaveOpened'>,
): Promise<Result<PullRequest | null, GitFailure>> {
  if (mayHaveOpened === null) return ok(null)
  const { head, since } = mayHaveOpened
  const found = await gitHost.findPullRequests(repository, { head, limit: 1 })
  if (!found.ok) return found
  const [newest] = found.value
  // Where a branch was deleted, an earlier pull request had one of the same name.
  const isEnded =
    newest !== undefined &&
    newest.state !== 'open' &&
    newest.createdAt >= since - SKEW_MS &&
    isPullOf(newest, move)
  return ok(isEnded ? newest : null)
}

/** What is left to do after a pull request was opened. */
export async function noteOpened(
  { requesters, moves }: Pick<PromotionDeps, 'requesters' | 'moves'>,
  pullRequest: PullRequest,
  askedBy: Requester,
): Promise<Result<PullRequest, DatabaseFailure>> {
  await moves.invalidate()
  const noted = await requesters.note(pullRequest, askedBy)
  return noted.ok ? ok(pullRequest) : noted
}
