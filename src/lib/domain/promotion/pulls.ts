import type { BranchName, RepositoryId } from '../../names.ts'
import type { GitFailure, GitHost, PullRequest } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import type { PullRequestFacts } from '../../ports/git-host/pull-request.ts'
import type { Person } from '../gitops/requesters.ts'
import type { ApplicationId } from '../gitops/layout.ts'
import { isNumbered } from '../gitops/numbered-branches.ts'
import { isPullOf, type Move, branchNameOf } from './move.ts'
import type { PromotionMeans } from './means.ts'
import type { Pipeline, Stage } from './pipeline.ts'

export interface MovePullRequest {
  readonly pull: PullRequest
  readonly move: Move
  /** `undefined` for a deprecation. */
  readonly stage: Stage | undefined
}

export interface AskedPullRequest extends MovePullRequest {
  readonly createdBy: Person
  readonly facts: PullRequestFacts
}

/** Every move that an application can be in. */
const movesOf = (
  { stages }: Pipeline,
  { team, app }: ApplicationId,
): readonly Omit<MovePullRequest, 'pull'>[] => [
  ...stages.flatMap((stage) =>
    (['promote', 'lifecycle'] as const).map((act) => ({
      move: { team, app, act, environment: stage.environment },
      stage,
    })),
  ),
  { move: { team, app, act: 'deprecate', environment: '' }, stage: undefined },
]

/** Listings of some hosts do not tell whether a pull request can be merged. */
export async function withMergeable(
  { gitHost, repository }: Pick<PromotionMeans, 'gitHost' | 'repository'>,
  pull: PullRequest,
): Promise<Result<PullRequest, GitFailure>> {
  if (pull.mergeable !== 'unknown') return ok(pull)
  const found = await gitHost.findPullRequests(repository, { number: pull.number })
  return found.ok ? ok(found.value[0] ?? pull) : found
}

/** The pull requests that the portal opened for an application. */
function ownPulls(
  pipeline: Pipeline,
  application: ApplicationId,
  pulls: readonly PullRequest[],
): readonly MovePullRequest[] {
  const moves = movesOf(pipeline, application)
  return pulls.flatMap((pull) =>
    moves.filter(({ move }) => isPullOf(pull, move)).map((each) => ({ pull, ...each })),
  )
}

/** The portal's own open pull requests of an application, newest first. */
export async function readPulls(
  { gitHost, repository, pipeline }: PromotionMeans,
  base: BranchName,
  application: ApplicationId,
): Promise<Result<readonly MovePullRequest[], GitFailure>> {
  const names = movesOf(pipeline, application).map(({ move }) => branchNameOf(move))
  const open = await findOpenPulls(gitHost, repository, base, names)
  return open.ok ? ok(ownPulls(pipeline, application, open.value)) : open
}

/** A longer listing would cost a busy repository many pages for each request. */
const LISTED_MAX = 1_000

/**
 * Open pull requests into a branch, newest first. One listing as a rule. Where there are more than it holds, those from the branches of
 * these names are asked for as well, so that none of them is missed.
 */
async function findOpenPulls(
  gitHost: Pick<GitHost, 'findPullRequests' | 'listBranches'>,
  repository: RepositoryId,
  base: BranchName,
  names: readonly BranchName[],
): Promise<Result<readonly PullRequest[], GitFailure>> {
  const open = { base, state: 'open' } as const
  const listed = await gitHost.findPullRequests(repository, { ...open, limit: LISTED_MAX })
  if (!listed.ok || listed.value.length < LISTED_MAX) return listed

  const byNumber = new Map(listed.value.map((pull) => [pull.number, pull]))
  for (const name of names) {
    const branches = await gitHost.listBranches(repository, name)
    if (!branches.ok) return branches
    const asked = await Promise.all(
      branches.value
        .filter((head) => isNumbered(head, name))
        .map((head) => gitHost.findPullRequests(repository, { ...open, head })),
    )
    for (const pulls of asked) {
      if (!pulls.ok) return pulls
      for (const pull of pulls.value) byNumber.set(pull.number, pull)
    }
  }
  return ok([...byNumber.values()].toSorted((a, b) => b.number - a.number))
}
