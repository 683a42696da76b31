import { AppName, type BranchName, TeamName } from '../../names.ts'
import type { GitFailure, PullRequest } from '../../ports/git-host.ts'
import type { PullRequestFacts } from '../../ports/git-host/pull-request.ts'
import { ok, type Result } from '../../result.ts'
import type { ApplicationId } from '../gitops/application.ts'
import type { Person } from '../gitops/requesters.ts'
import { isOfSomeRun, scaffoldBranch } from '../scaffold/pull-request.ts'
import type { PromotionDeps } from './dependencies.ts'
import { isPullOf, type Move, moveIn } from './move.ts'
import type { Pipeline, Stage } from './pipeline.ts'

/** Open pull requests of a repository: fifty requests on GitHub. */
export const OPEN_MAX = 5_000

/** A pull request that the portal opened, and its move. */
export interface ProposedMove extends ApplicationId {
  readonly act: 'scaffold' | Move['act']
  /** `null` for a scaffold and a deprecation. */
  readonly stage: Stage | null
  readonly pull: PullRequest
}

export interface AskedPullRequest extends ProposedMove {
  readonly createdBy: Person
  readonly facts: PullRequestFacts
}

/** The portal's move behind a pull request, whatever people have made of its title. `undefined`: the portal did not open it. */
export function proposedMoveOf(
  pull: PullRequest,
  pipeline: Pick<Pipeline, 'stageIn'>,
): ProposedMove | undefined {
  const move = moveIn(pull.body)
  if (move === undefined) return scaffoldOf(pull)
  if (!isPullOf(pull, move)) return undefined
  const { team, app, act, environment } = move
  const stage = pipeline.stageIn(environment) ?? null
  // The settings have no such environment any more.
  if (act !== 'deprecate' && stage === null) return undefined
  return { act, team, app, stage, pull }
}

function scaffoldOf(pull: PullRequest): ProposedMove | undefined {
  const [, teamText, appText] = pull.head.branch.split('/')
  const [team, app] = [TeamName.parse(teamText), AppName.parse(appText)]
  if (team === undefined || app === undefined) return undefined
  const isOurs = pull.head.branch === scaffoldBranch({ team, app }) && isOfSomeRun(pull)
  return isOurs ? { act: 'scaffold', team, app, stage: null, pull } : undefined
}

/** The portal's own open pull requests that change an application, newest first. */
export async function readPulls(
  { gitHost, repository, pipeline }: PromotionDeps,
  base: BranchName,
  { team, app }: ApplicationId,
): Promise<Result<readonly ProposedMove[], GitFailure>> {
  const open = await gitHost.findPullRequests(repository, { base, state: 'open', limit: OPEN_MAX })
  if (!open.ok) return open
  const moves = open.value.flatMap((pull) => proposedMoveOf(pull, pipeline) ?? [])
  const isOf = (move: ProposedMove) => move.team === team && move.app === app
  return ok(moves.filter((move) => isOf(move) && move.act !== 'scaffold'))
}

/** The open pull request that changes the overlay of a stage or, by its act, the lifecycle to that of the stage. */
export const openPull = (
  moves: readonly ProposedMove[],
  stage: Stage,
  act: Exclude<Move['act'], 'deprecate'> = 'promote',
): PullRequest | undefined => moves.find((move) => move.act === act && move.stage === stage)?.pull
