import type { GitFailure } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import { creatorOf } from '../gitops/requesters.ts'
import { ABSENT, type Application } from './application.ts'
import { type EnvironmentState, readEnvironment } from './environment-state.ts'
import type { Deployments } from './history/deployments.ts'
import type { History } from './history/history.ts'
import type { PromotionDeps } from './dependencies.ts'
import { type AskedPullRequest, openPull } from './pulls.ts'
import { DEPRECATED, type Lifecycle, type Pipeline, type Stage } from './pipeline.ts'
import type { Promotable, Subject, Unpromotable } from './subject.ts'

/** The state of an application in every environment, as it is for everybody. */
export interface StateFacts {
  readonly subject: Subject
  readonly lifecycle: string | null
  /** By environment. */
  readonly imageTags: Readonly<Record<string, string | null>>
  readonly environments: readonly EnvironmentState[]
  /** The newest changes of the overlays on the default branch, as far as the git host answered in time. */
  readonly deployments: Deployments
  /** Only open ones. */
  readonly pullRequests: readonly AskedPullRequest[]
  readonly next: NextStage | null
  /** Neither deprecated, nor without what a deprecation needs. */
  readonly canDeprecate: boolean
  readonly confirm: ConfirmState
  readonly drift: readonly Drift[]
}

interface NextStage {
  readonly stage: Stage
}

export interface ConfirmState {
  readonly available: boolean
  readonly targetLifecycle: string | null
  readonly reason: string | null
  readonly pullRequest: number | null
}

export interface Drift {
  readonly code: 'lifecycle_behind_overlay' | 'lifecycle_ahead_of_overlay'
  readonly environment: string
  readonly message: string
}

export async function readState(
  deps: PromotionDeps & { readonly history: History },
  subject: Subject,
): Promise<Result<StateFacts, GitFailure>> {
  const { eligibility, branch, commit } = subject
  const { pipeline } = deps
  if (eligibility.kind === 'not_promotable') {
    const isPossible = eligibility.app !== null && eligibility.team !== null
    const isDeprecated = pipeline.parseLifecycle(subject.lifecycleText) === DEPRECATED
    const canDeprecate = isPossible && !isDeprecated
    const pullRequests = await readPullRequests(deps, eligibility.pulls)
    return ok({ ...unpromotable(pipeline, subject, eligibility), pullRequests, canDeprecate })
  }
  const { lifecycle } = eligibility
  const [environments, pullRequests, deployments] = await Promise.all([
    allOk(
      pipeline.stages.map((stage) => readEnvironment(deps, { branch, commit }, eligibility, stage)),
    ),
    readPullRequests(deps, eligibility.pulls),
    deps.history.deployments({ branch, commit }, eligibility),
  ])
  if (!environments.ok) return environments
  const stage = pipeline.stageAfter(lifecycle)
  return ok({
    subject,
    lifecycle,
    imageTags: imageTagsOf(pipeline, eligibility.application),
    environments: environments.value,
    deployments,
    pullRequests,
    next: stage === undefined ? null : { stage },
    canDeprecate: lifecycle !== DEPRECATED,
    confirm: confirmOf(
      eligibility,
      environments.value.find((each) => each.stage === stage),
    ),
    drift: driftOf(pipeline, lifecycle, environments.value),
  })
}

/** All values, or the first failure. */
async function allOk<Value>(
  results: readonly Promise<Result<Value, GitFailure>>[],
): Promise<Result<readonly Value[], GitFailure>> {
  const values: Value[] = []
  for (const result of await Promise.all(results)) {
    if (!result.ok) return result
    values.push(result.value)
  }
  return ok(values)
}

async function readPullRequests(
  { requesters, facts }: Pick<PromotionDeps, 'requesters' | 'facts'>,
  pulls: Promotable['pulls'],
): Promise<readonly AskedPullRequest[]> {
  const open = pulls.map(({ pull }) => pull)
  const [known, factsOf] = await Promise.all([requesters.of(open), facts.of(open)])
  return pulls.map((each) => ({
    ...each,
    createdBy: creatorOf(each.pull, known),
    facts: factsOf(each.pull),
  }))
}

const imageTagsOf = ({ stages }: Pipeline, { overlays }: Application) =>
  Object.fromEntries(
    stages.map((stage) => [stage.environment, overlays.get(stage)?.image?.tag ?? null]),
  )

function unpromotable(
  pipeline: Pipeline,
  subject: Subject,
  { reason }: Unpromotable,
): Omit<StateFacts, 'canDeprecate' | 'pullRequests'> {
  return {
    subject,
    lifecycle: subject.lifecycleText,
    imageTags: imageTagsOf(pipeline, ABSENT),
    environments: [],
    deployments: new Map(),
    next: null,
    confirm: { available: false, targetLifecycle: null, reason, pullRequest: null },
    drift: [],
  }
}

/** The specification fixes the reason while a pull request is open, be it that of the overlay or that of the lifecycle. */
function confirmOf(
  { lifecycle, pulls }: Promotable,
  environment: EnvironmentState | undefined,
): ConfirmState {
  if (environment === undefined) {
    const reason = lifecycle === DEPRECATED ? 'deprecated' : `nothing is above ${lifecycle}`
    return { available: false, targetLifecycle: null, reason, pullRequest: null }
  }
  const { stage, state } = environment
  const changing = openPull(pulls, stage, 'lifecycle')?.number ?? null
  const pullRequest = environment.pullRequest ?? changing
  const targetLifecycle = stage.lifecycle
  const no = (reason: string): ConfirmState => ({
    available: false,
    targetLifecycle,
    reason,
    pullRequest,
  })
  switch (state) {
    case 'ready_to_confirm':
    case 'live':
      return changing === null
        ? { available: true, targetLifecycle, reason: null, pullRequest: null }
        : no(`PR #${changing} pending`)
    case 'pr_open':
      return no(`PR #${pullRequest} pending`)
    case 'pr_closed':
      return no(`PR #${pullRequest} was closed`)
    case 'none':
      return no('overlay missing')
  }
}

const driftOf = (
  pipeline: Pipeline,
  lifecycle: Lifecycle,
  environments: readonly EnvironmentState[],
): readonly Drift[] =>
  environments.flatMap(({ stage, overlay, state }): readonly Drift[] => {
    const { environment } = stage
    if (state === 'ready_to_confirm') {
      const message = `the overlay of ${environment} is there, and the lifecycle is still ${lifecycle}`
      return [{ code: 'lifecycle_behind_overlay', environment, message }]
    }
    if (overlay === null && lifecycle !== DEPRECATED && pipeline.hasReached(lifecycle, stage)) {
      const message = `the lifecycle is ${lifecycle}, and there is no overlay of ${environment}`
      return [{ code: 'lifecycle_ahead_of_overlay', environment, message }]
    }
    return []
  })
