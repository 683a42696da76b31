import { createQueue } from '../../concurrency/queue.ts'
import type { BranchName, RepositoryId } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { ProposalRow, ProposalStore } from '../../ports/database/proposals.ts'
import type { GitFailure, GitHost, PullRequest } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import type { Askers } from '../gitops/askers.ts'
import { findLeftBranches, finishProposal, type ProposedPullRequest } from '../gitops/propose.ts'
import type { KnownStanding, Standing } from '../gitops/standing.ts'
import type { ReplicatedInvalidation } from '../replicated-invalidation.ts'
import { isPullOf, nameOf } from './move.ts'
import { type ProposalRequest, proposeMove } from './propose.ts'
import { readProposal, writeProposal } from './stored-proposal.ts'

const LISTED_MAX = 1_000
/** Age of a row up to which its pull request is opened. Later it would surprise the person who asked for it. */
const FINISHED_MAX_MS = 60 * 60_000
/** Age of a row from which its branch is removed, if it has no pull request. */
const LEFT_MAX_MS = 24 * 60 * 60_000

/** Failures of the git host after which a later look may succeed. */
const PASSING: ReadonlySet<GitFailure['kind']> = new Set([
  'git_host_unreachable',
  'git_host_timeout',
  'git_host_error',
  'git_rate_limited',
  'git_conflict',
  'git_branch_exists',
])

export type ProposalEvent =
  | { readonly kind: 'finished'; readonly move: string; readonly pullRequest: number }
  | { readonly kind: 'removed'; readonly branch: BranchName }
  | { readonly kind: 'not_finished'; readonly move: string; readonly failure: GitFailure }
  | { readonly kind: 'not_looked'; readonly failure: DatabaseFailure }

export interface ProposalsOptions {
  readonly gitHost: GitHost
  readonly repository: RepositoryId
  readonly store: ProposalStore
  readonly askers: Pick<Askers, 'note'>
  /** Told of every pull request that was opened or updated. */
  readonly moves: Pick<ReplicatedInvalidation, 'invalidate'>
  readonly clock: Clock
  readonly log: (event: ProposalEvent) => void
}

export type Proposals = ReturnType<typeof createProposals>

/**
 * Makes proposals, and finishes those of processes that died between branch and pull request. A row in the database lasts from before
 * the branch until after the pull request. A row that two looks in a row have seen is left behind: no clock is compared with another
 * process's, and a process that is merely slow finds its pull request opened. A branch that got none is removed a day later.
 */
export function createProposals({
  gitHost,
  repository,
  store,
  askers,
  moves,
  clock,
  log,
}: ProposalsOptions) {
  let seen: ReadonlySet<string> = new Set()
  /** Rows that only wait until their branches may be removed. */
  let waiting = new Set<string>()
  const inTurn = createQueue()

  const ageOf = ({ id }: ProposalRow): number => clock.now() - madeAt(id)
  const isOld = (row: ProposalRow): boolean => ageOf(row) >= LEFT_MAX_MS

  /**
   * Opens the pull request of a branch that has exactly the proposed files. When the row is old, removes the branch instead, if no pull
   * request was ever opened for it.
   */
  async function settle(row: ProposalRow): Promise<'settled' | 'unsettled' | 'waiting'> {
    const stored = readProposal(row.content)
    // A newer version wrote it, and settles it.
    if (stored === undefined) return 'unsettled'
    const { move, askedBy } = stored
    const isOurs = (pull: PullRequest) => isPullOf(pull, move)
    const proposal = { ...stored, repository, name: nameOf(move), isOurs }
    const finished = isOld(row) ? ok(null) : await finishProposal(gitHost, proposal)
    if (!finished.ok) {
      log({ kind: 'not_finished', move: proposal.name, failure: finished.error })
      if (PASSING.has(finished.error.kind)) return 'unsettled'
    } else if (finished.value !== null) {
      const { pullRequest, created } = finished.value
      if (created) log({ kind: 'finished', move: proposal.name, pullRequest: pullRequest.number })
      const noted = askedBy === undefined ? ok(undefined) : await askers.note(pullRequest, askedBy)
      if (created) await moves.invalidate()
      if (!noted.ok) return 'unsettled'
    }
    const left = await findLeftBranches(gitHost, proposal)
    if (!left.ok) return 'unsettled'
    if (left.value.length > 0 && !isOld(row)) return 'waiting'
    for (const head of left.value) {
      const removed = await gitHost.removeBranch(repository, head)
      if (!removed.ok) return 'unsettled'
      log({ kind: 'removed', branch: head.branch })
    }
    await store.remove(row.id)
    return 'settled'
  }

  async function proposeNow(
    request: ProposalRequest,
    known: KnownStanding | undefined,
  ): Promise<Result<ProposedPullRequest, GitFailure | DatabaseFailure>> {
    // An update leaves nothing behind: its branch has a pull request.
    if (known?.standing.kind === 'open') {
      const updated = await proposeMove(gitHost, request, known)
      if (updated.ok) await moves.invalidate()
      return updated
    }
    const id = Bun.randomUUIDv7('hex', clock.now())
    const noted = await store.note({ id, content: writeProposal(request) })
    if (!noted.ok) return noted
    const proposed = await proposeMove(gitHost, request, known)
    // After a failure the branch may be there. A row that stays costs one look.
    if (!proposed.ok) return proposed
    const { pullRequest, created } = proposed.value
    const isNoted = created ? await askers.note(pullRequest, request.askedBy) : ok(undefined)
    await moves.invalidate()
    if (isNoted.ok) await store.remove(id)
    return proposed
  }

  return {
    /** `standing`: as it was read before, if it was. Equal requests at once make one pull request: each waits for the one before it. */
    propose: (request: ProposalRequest, standing?: Standing) =>
      inTurn(nameOf(request.move), (hasWaited) =>
        proposeNow(request, standing && { standing, isCurrent: !hasWaited }),
      ),

    /** Settles what an earlier look has seen already. Called now and then by every process. */
    async look(): Promise<void> {
      const listed = await store.list(LISTED_MAX)
      if (!listed.ok) return log({ kind: 'not_looked', failure: listed.error })
      const rows = listed.value
      const young = rows.filter((row) => !isOld(row))
      // Somebody may ask for the same right now, and open the pull request of a branch that is there.
      const asked = new Set(young.map(({ content }) => moveOf(content)))
      const isDue = (row: ProposalRow): boolean =>
        isOld(row)
          ? !asked.has(moveOf(row.content))
          : !waiting.has(row.id) && ageOf(row) < FINISHED_MAX_MS
      const due = rows.filter((row) => seen.has(row.id) && isDue(row))
      seen = new Set(rows.map(({ id }) => id))
      waiting = waiting.intersection(seen)
      for (const row of due) {
        // A pull request that is opened while its branch is removed would be closed with it.
        const settled = await inTurn(moveOf(row.content) ?? row.id, () => settle(row))
        if (settled === 'waiting') waiting.add(row.id)
      }
    },
  }
}

function moveOf(content: string): string | undefined {
  const stored = readProposal(content)
  return stored && nameOf(stored.move)
}

/** Milliseconds since the Unix epoch: the first 48 bits of a UUID of version 7, RFC 9562 §5.7. */
const madeAt = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
