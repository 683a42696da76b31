import type { AppName, BranchName, RepositoryId, TeamName } from '../../names.ts'
import type { GitFailure, GitHost, PullRequest } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import type { PullRequestFacts } from '../../ports/git-host/pull-request.ts'
import type { Person } from '../gitops/requesters.ts'
import { findOpenPulls } from '../gitops/open-pulls.ts'
import { isPullOf, type Move, branchNameOf } from './move.ts'
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

export interface PullsSource {
  readonly gitHost: Pick<GitHost, 'findPullRequests' | 'listBranches'>
  readonly repository: RepositoryId
  readonly pipeline: Pipeline
}

export interface ApplicationId {
  readonly team: TeamName
  readonly app: AppName
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
  { gitHost, repository }: Pick<PullsSource, 'gitHost' | 'repository'>,
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
  { gitHost, repository, pipeline }: PullsSource,
  base: BranchName,
  application: ApplicationId,
): Promise<Result<readonly MovePullRequest[], GitFailure>> {
  const names = movesOf(pipeline, application).map(({ move }) => branchNameOf(move))
  const open = await findOpenPulls(gitHost, repository, base, names)
  return open.ok ? ok(ownPulls(pipeline, application, open.value)) : open
}
