import type { AppName, BranchName, RepositoryId, TeamName } from '../../names.ts'
import type { GitFailure, GitHost, PullRequest } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import { type Move, pullsOf } from './move.ts'
import type { Pipeline, Stage } from './pipeline.ts'

const PULLS_MAX = 1_000

export interface MovePullRequest {
  readonly pull: PullRequest
  readonly move: Move
  /** `undefined` for a deprecation. */
  readonly stage: Stage | undefined
}

export interface PullsSource {
  readonly gitHost: Pick<GitHost, 'findPullRequests'>
  readonly repository: RepositoryId
  readonly pipeline: Pipeline
}

interface ApplicationId {
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

/** The portal's own pull requests of an application, newest first. */
export async function readPulls(
  { gitHost, repository, pipeline }: PullsSource,
  base: BranchName,
  application: ApplicationId,
): Promise<Result<readonly MovePullRequest[], GitFailure>> {
  const moves = movesOf(pipeline, application)
  const found = await gitHost.findPullRequests(repository, {
    base,
    limit: PULLS_MAX,
  })
  if (!found.ok) return found
  return ok(
    moves
      .flatMap((each) => pullsOf(found.value, each.move, base).map((pull) => ({ pull, ...each })))
      .toSorted((a, b) => b.pull.number - a.pull.number),
  )
}
