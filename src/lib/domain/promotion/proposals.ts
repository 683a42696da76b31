import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { GitFailure, GitHost } from '../../ports/git-host.ts'
import type { Result } from '../../result.ts'
import type { Requesters } from '../gitops/requesters.ts'
import { propose, type ProposedPullRequest, type Target } from '../gitops/propose.ts'
import type { ReplicatedInvalidation } from '../replicated-invalidation.ts'
import type { LockFailure, MoveRun } from './move-runs.ts'
import { type Proposal, queryOf } from './proposal.ts'

export interface ProposeOptions {
  readonly gitHost: GitHost
  readonly requesters: Pick<Requesters, 'note'>
  /** Told of every pull request that was opened or updated. */
  readonly moves: Pick<ReplicatedInvalidation, 'invalidate'>
}

/** Commits to the branch of a move, opens its pull request, and remembers who asked for it. */
export async function proposeMove(
  { gitHost, requesters, moves }: ProposeOptions,
  proposal: Proposal,
  target: Target,
  run: MoveRun,
  secretVersion: number | null = null,
): Promise<Result<ProposedPullRequest, GitFailure | LockFailure | DatabaseFailure>> {
  const accepted = await run.accept({ opens: target.pull === null, secretVersion })
  if (!accepted.ok) return accepted
  const proposed = await propose(gitHost, proposal, target, queryOf(proposal).isOurs)
  if (!proposed.ok) return proposed
  await moves.invalidate()
  const { pullRequest, created } = proposed.value
  if (!created && !run.mayHaveOpened) return proposed
  const noted = await requesters.note(pullRequest, proposal.askedBy)
  return noted.ok ? proposed : noted
}
