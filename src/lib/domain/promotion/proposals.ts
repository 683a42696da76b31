import type { BranchName, RepositoryId } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { LeaseStore } from '../../ports/database/leases.ts'
import type { GitFailure, GitHost, PullRequest } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import type { Audit } from '../audit/audit.ts'
import type { Requesters } from '../gitops/requesters.ts'
import { findOpenPulls } from '../gitops/open-pulls.ts'
import { propose, type ProposedPullRequest, readTarget, type Target } from '../gitops/propose.ts'
import type { ReplicatedInvalidation } from '../replicated-invalidation.ts'
import type { Lock, LockFailure, Locks } from './locks.ts'
import { isPullOf, nameOf } from './move.ts'
import { type Proposal, queryOf, readProposal, writeProposal } from './proposal.ts'

const LISTED_MAX = 1_000
/** Age up to which an unfinished proposal gets its pull request. Later it would surprise the person who asked for it. */
const FINISHED_MAX_MS = 60 * 60_000

/** Failures of the git host after which a later look may succeed. */
const PASSING: ReadonlySet<string> = new Set([
  'git_host_unreachable',
  'git_host_timeout',
  'git_host_error',
  'git_rate_limited',
  'git_conflict',
  'git_branch_exists',
  'change_in_progress',
  'database_unavailable',
] satisfies (GitFailure | LockFailure)['kind'][])

export type ProposalEvent =
  | { readonly kind: 'finished'; readonly move: BranchName; readonly pullRequest: number }
  | {
      readonly kind: 'not_finished'
      readonly move: string
      readonly failure: GitFailure | LockFailure
    }
  | { readonly kind: 'not_looked'; readonly failure: LockFailure }

export interface ProposalsOptions {
  readonly gitHost: GitHost
  readonly repository: RepositoryId
  readonly leases: Pick<LeaseStore, 'listUnfinished'>
  readonly locks: Locks
  readonly requesters: Pick<Requesters, 'note'>
  readonly audit: Pick<Audit, 'finish'>
  /** Told of every pull request that was opened or updated. */
  readonly moves: Pick<ReplicatedInvalidation, 'invalidate'>
  readonly clock: Clock
  readonly log: (event: ProposalEvent) => void
}

export type Proposals = ReturnType<typeof createProposals>

/** Makes proposals for holders of locks, and finishes those of processes that died between branch and pull request. */
export function createProposals({
  gitHost,
  repository,
  leases,
  locks,
  requesters,
  audit,
  moves,
  clock,
  log,
}: ProposalsOptions) {
  const leftBehind = ({ left }: Lock) =>
    left === null ? undefined : readProposal(left, repository)

  async function make(
    proposal: Proposal,
    target: Target,
    lock: Lock,
  ): Promise<Result<ProposedPullRequest, GitFailure | LockFailure>> {
    const left = leftBehind(lock)
    // One lock has the promotions and the confirmations of an environment, and room for one work.
    if (left !== undefined && nameOf(left.move) !== nameOf(proposal.move)) {
      const finished = await finishUnder(lock)
      if (!finished.ok && PASSING.has(finished.error.kind)) return finished
    }
    // Work of a newer version stays.
    const mayNote = lock.left === null || left !== undefined
    const noted =
      mayNote && target.pull === null
        ? await lock.note(writeProposal(proposal, clock.now()))
        : ok(undefined)
    if (!noted.ok) return noted
    const proposed = await propose(gitHost, proposal, target, queryOf(proposal).isOurs)
    if (!proposed.ok) return proposed
    const isDone = await settle(proposed.value, proposal, lock)
    await moves.invalidate()
    if (isDone && mayNote) await lock.note(null)
    return proposed
  }

  /** Remembers who asked for a pull request: a holder that died right after it was opened, or this one. */
  async function settle(
    { pullRequest, created }: Pick<ProposedPullRequest, 'pullRequest' | 'created'>,
    { move, askedBy }: Pick<Proposal, 'move' | 'askedBy'>,
    lock: Lock,
  ): Promise<boolean> {
    const before = leftBehind(lock)
    const isLeft = before !== undefined && nameOf(before.move) === nameOf(move)
    const requester = created ? askedBy : isLeft ? before.askedBy : undefined
    return requester === undefined || (await requesters.note(pullRequest, requester)).ok
  }

  /** Gives the audit row of a request that has outlived its process its outcome. A request that failed keeps its row. */
  async function endRow({ request, askedBy }: Proposal, { number }: PullRequest): Promise<void> {
    if (request === undefined) return
    const { id: requestId, target } = request
    await audit.finish(
      { target, action: 'promotion' },
      // Clients may choose the id of a request.
      { requestId, subject: askedBy.subject },
      { result: 'done', code: null, details: { pullRequest: number } },
    )
  }

  /** Opens the pull request of a branch that a process left. Without a branch nothing was proposed, and nothing is. */
  async function finish(lock: Lock): Promise<Result<void, GitFailure | LockFailure>> {
    const proposal = leftBehind(lock)
    // A newer version wrote it, and finishes it; or somebody has finished it meanwhile.
    if (proposal === undefined) return ok(undefined)
    if (clock.now() - proposal.at >= FINISHED_MAX_MS) return lock.note(null)
    const { move, base } = proposal
    const name = nameOf(move)
    const pulls = await findOpenPulls(gitHost, repository, base.branch, [name])
    if (!pulls.ok) return pulls
    const open = pulls.value.find((each) => isPullOf(each, move))
    const target = await readTarget(gitHost, queryOf(proposal), open)
    if (!target.ok) return target
    const { pull, from } = target.value
    if (pull !== null) {
      await endRow(proposal, pull)
      const isDone = await settle({ pullRequest: pull, created: false }, proposal, lock)
      return isDone ? lock.note(null) : ok(undefined)
    }
    if (from.kind !== 'replace') return lock.note(null)
    const made = await make(proposal, target.value, lock)
    if (!made.ok) return made
    await endRow(proposal, made.value.pullRequest)
    log({ kind: 'finished', move: name, pullRequest: made.value.pullRequest.number })
    return ok(undefined)
  }

  async function finishUnder(lock: Lock): Promise<Result<void, GitFailure | LockFailure>> {
    const finished = await finish(lock)
    if (!finished.ok && !PASSING.has(finished.error.kind)) await lock.note(null)
    return finished
  }

  return {
    propose: make,

    /** Finishes what processes have left. Called now and then by every process. */
    async sweep(): Promise<void> {
      const listed = await leases.listUnfinished(LISTED_MAX)
      if (!listed.ok) return log({ kind: 'not_looked', failure: listed.error })
      for (const { name } of listed.value) {
        const finished = await locks.hold(name, finishUnder)
        // Somebody is working on it.
        if (finished.ok || finished.error.kind === 'change_in_progress') continue
        log({ kind: 'not_finished', move: name, failure: finished.error })
      }
    },
  }
}
