import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { GitFailure, PullRequest } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import type { Requester } from '../gitops/requesters.ts'
import { propose, type ProposedPullRequest, type Target } from '../gitops/propose.ts'
import type { PromotionMeans } from './means.ts'
import { isPullOf, type Move } from './move.ts'
import type { LockFailure, MoveRun } from './move-runs.ts'
import { type Proposal, queryOf } from './proposal.ts'

/** Commits to the branch of a move, opens its pull request, and remembers who asked for it. */
export async function proposeMove(
  { gitHost, requesters, moves }: PromotionMeans,
  proposal: Proposal,
  target: Target,
  run: MoveRun,
  secretVersion: number | null = null,
): Promise<Result<ProposedPullRequest, GitFailure | LockFailure | DatabaseFailure>> {
  const accepted = await run.accept({ branch: branchOf(target), secretVersion })
  if (!accepted.ok) return accepted
  const proposed = await propose(gitHost, proposal, target, queryOf(proposal).isOurs)
  if (!proposed.ok) return proposed
  await moves.invalidate()
  const { pullRequest, created } = proposed.value
  if (!created && run.mayHaveOpened === null) return proposed
  const noted = await requesters.note(pullRequest, proposal.askedBy)
  return noted.ok ? proposed : noted
}

/** Clocks of git hosts differ from ours, and some of them have no milliseconds. */
const SKEW_MS = 10_000

/** The branch of a pull request that is opened. */
export const branchOf = ({ branch, pull }: Target) => (pull === null ? branch : null)

/** The pull request that an attempt before this one has opened and that was merged or closed since. `null`: there is none. */
export async function findEnded(
  { gitHost, repository }: PromotionMeans,
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
  { requesters, moves }: Pick<PromotionMeans, 'requesters' | 'moves'>,
  pullRequest: PullRequest,
  askedBy: Requester,
): Promise<Result<PullRequest, DatabaseFailure>> {
  await moves.invalidate()
  const noted = await requesters.note(pullRequest, askedBy)
  return noted.ok ? ok(pullRequest) : noted
}
