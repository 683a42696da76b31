import { AppName, TeamName } from '../../../names.ts'
import type { PullRequest } from '../../../ports/git-host.ts'
import { isOfSomeRun, scaffoldBranch } from '../../scaffold/pull-request.ts'
import { isPullOf, moveIn, type Move } from '../move.ts'
import type { Pipeline, Stage } from '../pipeline.ts'

/** A change that the portal has proposed. */
export interface ProposedMove {
  readonly act: 'scaffold' | Move['act']
  readonly team: TeamName
  readonly app: AppName
  /** `null` for a scaffold and a deprecation. */
  readonly stage: Stage | null
  readonly pull: PullRequest
}

/** The portal's move behind a pull request, whatever people have made of its title. `undefined`: the portal did not open it. */
export function proposedMoveOf(
  pull: PullRequest,
  { stages }: Pick<Pipeline, 'stages'>,
): ProposedMove | undefined {
  const move = moveIn(pull.body)
  if (move === undefined) return scaffoldOf(pull)
  if (!isPullOf(pull, move)) return undefined
  const { team, app, act, environment } = move
  const stage = stages.find((each) => each.environment === environment) ?? null
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
