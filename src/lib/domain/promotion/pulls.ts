import type { BranchName } from '../../names.ts'
import type { GitFailure, PullRequest } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import type { PullRequestFacts } from '../../ports/git-host/pull-request.ts'
import type { Person } from '../gitops/requesters.ts'
import type { ApplicationId } from '../gitops/layout.ts'
import { isPullOf, type Move } from './move.ts'
import type { PromotionDeps } from './dependencies.ts'
import type { Pipeline, Stage } from './pipeline.ts'

/** Open pull requests of a repository: fifty requests on GitHub. */
export const OPEN_MAX = 5_000

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
  { gitHost, repository }: Pick<PromotionDeps, 'gitHost' | 'repository'>,
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
  { gitHost, repository, pipeline }: PromotionDeps,
  base: BranchName,
  application: ApplicationId,
): Promise<Result<readonly MovePullRequest[], GitFailure>> {
  const open = await gitHost.findPullRequests(repository, { base, state: 'open', limit: OPEN_MAX })
  return open.ok ? ok(ownPulls(pipeline, application, open.value)) : open
}
