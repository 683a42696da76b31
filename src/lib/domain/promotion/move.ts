import { AppName, BranchName, EnvironmentName, TeamName } from '../../names.ts'
import type { GitFailure, PullRequest } from '../../ports/git-host.ts'
import type { PullRequestFacts } from '../../ports/git-host/pull-request.ts'
import { ok, type Result } from '../../result.ts'
import type { ApplicationId } from '../gitops/application.ts'
import { isNumbered } from '../gitops/branches.ts'
import type { Person } from '../gitops/requesters.ts'
import { endsWithTrailer, lastTrailer, trailer } from '../gitops/trailer.ts'
import { isOfSomeRun, scaffoldBranch } from '../scaffold/pull-request.ts'
import type { PromotionDeps } from './dependencies.ts'
import type { Pipeline, Stage } from './pipeline.ts'

export const ACTS = ['promote', 'lifecycle', 'deprecate'] as const

/** A change to an application that a pull request proposes. Its name finds the pull request again. */
export interface Move extends ApplicationId {
  readonly act: (typeof ACTS)[number]
  /** Empty for a deprecation. */
  readonly environment: string
}

/** Name of a move, and of its first branch. */
export const branchNameOf = ({ team, app, act, environment }: Move): BranchName =>
  BranchName.of([act, team, app, environment].filter(Boolean).join('/'))

/** The move to a stage or, without one, the deprecation. */
export const moveTo = (
  { team, app }: ApplicationId,
  stage: { readonly environment: string } | null,
  act: Exclude<Move['act'], 'deprecate'> = 'promote',
): Move =>
  stage === null
    ? { team, app, act: 'deprecate', environment: '' }
    : { team, app, act, environment: stage.environment }

const TRAILER = 'Portico-Move'

/** Last line of every commit message and pull request of a move. */
export const trailerOf = (move: Move): string => trailer(TRAILER, branchNameOf(move))

/** Whether the portal wrote a pull request's body or a commit's message. */
export const isOurs = (text: string, move: Move): boolean =>
  endsWithTrailer(text, TRAILER, branchNameOf(move))

/** The move that the last line of a pull request or commit names, whoever wrote it. */
function moveIn(text: string): Move | undefined {
  const [actText, teamText, appText, environment = '', ...more] =
    lastTrailer(text, TRAILER)?.split('/') ?? []
  const act = ACTS.find((each) => each === actText)
  const [team, app] = [TeamName.parse(teamText), AppName.parse(appText)]
  if (act === undefined || team === undefined || app === undefined) return undefined
  const isNamed =
    act === 'deprecate' ? environment === '' : EnvironmentName.parse(environment) !== undefined
  if (more.length > 0 || !isNamed) return undefined
  return { team, app, act, environment }
}

interface MoveTexts {
  readonly title: string
  /** First line of the commit message. */
  readonly summary: string
  /** Lines for the reviewer. */
  readonly lines: readonly string[]
}

/** The texts of a move's pull request, and of its commit. */
export const textsOf = (move: Move, { title, summary, lines }: MoveTexts) => ({
  title,
  message: `${summary}\n\n${trailerOf(move)}\n`,
  body: `${[...lines, '', trailerOf(move)].join('\n')}\n`,
})

/** Whether the portal opened a pull request for a move. People may have changed everything else of it. */
export const isPullOf = ({ head, body }: PullRequest, move: Move): boolean =>
  isNumbered(head.branch, branchNameOf(move)) && isOurs(body, move)

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
