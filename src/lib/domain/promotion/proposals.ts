import type { RepositoryId } from '../../names.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { ProposalRow, ProposalStore } from '../../ports/database/proposals.ts'
import type { GitFailure, GitHost } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import type { Askers } from '../gitops/askers.ts'
import { finishProposal, type ProposedPullRequest } from '../gitops/propose.ts'
import type { Standing } from '../gitops/standing.ts'
import type { ReplicatedInvalidation } from '../replicated-invalidation.ts'
import { isPullOf, nameOf } from './move.ts'
import { type ProposalRequest, proposeMove } from './propose.ts'
import { readProposal, writeProposal } from './stored-proposal.ts'

const LISTED_MAX = 100

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
  | { readonly kind: 'not_finished'; readonly move: string; readonly failure: GitFailure }
  | { readonly kind: 'not_looked'; readonly failure: DatabaseFailure }

export interface ProposalsOptions {
  readonly gitHost: GitHost
  readonly repository: RepositoryId
  readonly store: ProposalStore
  readonly askers: Pick<Askers, 'note'>
  /** Told of every pull request that was opened or updated. */
  readonly moves: Pick<ReplicatedInvalidation, 'invalidate'>
  readonly log: (event: ProposalEvent) => void
}

export type Proposals = ReturnType<typeof createProposals>

/**
 * Makes proposals, and finishes those of processes that died between branch and pull request. A row in the database lasts from before
 * the branch until after the pull request. A row that two looks in a row have seen is left behind: no clock is compared with another
 * process's, and a process that is merely slow finds its pull request opened.
 */
export function createProposals({
  gitHost,
  repository,
  store,
  askers,
  moves,
  log,
}: ProposalsOptions) {
  let seen: ReadonlySet<string> = new Set()

  /** Opens the pull request of a branch that has exactly the proposed files, and forgets everything else. */
  async function finish({ id, content }: ProposalRow): Promise<void> {
    const proposal = readProposal(content)
    // A newer version wrote it, and finishes it.
    if (proposal === undefined) return
    const move = nameOf(proposal.move)
    const finished = await finishProposal(gitHost, {
      ...proposal,
      repository,
      name: move,
      isOurs: (pull) => isPullOf(pull, proposal.move),
    })
    if (!finished.ok) {
      log({ kind: 'not_finished', move, failure: finished.error })
      if (PASSING.has(finished.error.kind)) return
    } else if (finished.value !== null) {
      const { pullRequest, created } = finished.value
      if (created) log({ kind: 'finished', move, pullRequest: pullRequest.number })
      const { askedBy } = proposal
      const noted = askedBy === undefined ? ok(undefined) : await askers.note(pullRequest, askedBy)
      if (created) await moves.invalidate()
      if (!noted.ok) return
    }
    await store.remove(id)
  }

  return {
    /** `standing`: as it was read before, if it was. */
    async propose(
      request: ProposalRequest,
      standing?: Standing,
    ): Promise<Result<ProposedPullRequest, GitFailure | DatabaseFailure>> {
      // An update leaves nothing behind: its branch has a pull request.
      if (standing?.kind === 'open') {
        const updated = await proposeMove(gitHost, request, standing)
        if (updated.ok) await moves.invalidate()
        return updated
      }
      const id = Bun.randomUUIDv7()
      const noted = await store.note({ id, content: writeProposal(request) })
      if (!noted.ok) return noted
      const proposed = await proposeMove(gitHost, request, standing)
      // After a failure the branch may be there. A row that stays costs one look.
      if (!proposed.ok) return proposed
      const { pullRequest, created } = proposed.value
      const known = created ? await askers.note(pullRequest, request.askedBy) : ok(undefined)
      await moves.invalidate()
      if (known.ok) await store.remove(id)
      return proposed
    },

    /** Finishes what an earlier look has seen already. Called now and then by every process. */
    async look(): Promise<void> {
      const listed = await store.list(LISTED_MAX)
      if (!listed.ok) return log({ kind: 'not_looked', failure: listed.error })
      const due = listed.value.filter(({ id }) => seen.has(id))
      seen = new Set(listed.value.map(({ id }) => id))
      for (const row of due) await finish(row)
    },
  }
}
