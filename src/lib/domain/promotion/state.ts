import type { GitFailure } from '../../ports/git-host.ts'
import { allOk, ok, type Result } from '../../result.ts'
import { creatorOf } from '../gitops/requesters.ts'
import { ABSENT, type Application, type ExistingOverlay } from './application.ts'
import { type EnvironmentPhase, phaseOf } from './decide.ts'
import type { PromotionDeps } from './dependencies.ts'
import type { Deployments, History } from './history/history.ts'
import { DEPRECATED, type Lifecycle, type Pipeline, type Stage } from './pipeline.ts'
import { progressOf, readProgress } from './progress.ts'
import { type AskedPullRequest, openPull } from './move.ts'
import type { Promotable, Subject } from './subject.ts'

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
  /** Neither deprecated, nor without what a deprecation needs. */
  readonly canDeprecate: boolean
  readonly confirm: ConfirmState
  readonly drift: readonly Drift[]
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
  const { pipeline } = deps
  const { eligibility, entity } = subject
  const { team, app, pulls } = eligibility
  const isDeprecated = pipeline.parseLifecycle(entity.card.lifecycle) === DEPRECATED
  const promotable = eligibility.kind === 'promotable' ? eligibility : null
  const [read, pullRequests, deployments] = await Promise.all([
    promotable === null ? ok([]) : readEnvironments(deps, subject, promotable),
    readPullRequests(deps, pulls),
    promotable === null ? NO_DEPLOYMENTS : deps.history.deployments(subject, promotable),
  ])
  if (!read.ok) return read
  const environments = read.value
  return ok({
    subject,
    lifecycle: promotable?.lifecycle ?? entity.card.lifecycle,
    imageTags: imageTagsOf(pipeline, promotable?.application ?? ABSENT),
    environments,
    deployments,
    pullRequests,
    canDeprecate: team !== null && app !== null && !isDeprecated,
    confirm:
      eligibility.kind === 'promotable'
        ? confirmOf(pipeline, eligibility, environments)
        : { ...NO_STAGE, reason: eligibility.reason },
    drift: promotable === null ? [] : driftOf(pipeline, promotable.lifecycle, environments),
  })
}

const NO_DEPLOYMENTS: Deployments = new Map()

function readEnvironments(
  deps: PromotionDeps,
  subject: Subject,
  promotable: Promotable,
): Promise<Result<readonly EnvironmentState[], GitFailure>> {
  const { pipeline } = deps
  const { application, lifecycle: reached, pulls } = promotable

  async function readProposed(stage: Stage) {
    const open = openPull(pulls, stage)
    if (open === undefined) return ok(null)
    const proposing = (overlay: ExistingOverlay | null) => ok({ overlay, pullRequest: open.number })
    const sides = { ours: subject.commit, theirs: open.head.commit }
    const merged = await deps.applications.merged(sides, promotable)
    if (merged.ok) return proposing(merged.value.overlays.get(stage) ?? null)
    // The host is about to close the pull request of a branch that was deleted.
    return merged.error.kind === 'git_not_found' ? proposing(null) : merged
  }

  async function readEnvironment(stage: Stage): Promise<Result<EnvironmentState, GitFailure>> {
    // Beyond the next stage nothing was proposed that could have been closed.
    const isDue = pipeline.hasReached(reached, stage) || stage === pipeline.stageAfter(reached)
    const read = await allOk([
      isDue
        ? readProgress(deps, subject.branch, promotable, stage)
        : ok(progressOf(promotable, stage)),
      readProposed(stage),
    ])
    if (!read.ok) return read
    const [progress, proposed] = read.value
    return ok({
      stage,
      overlay: application.overlays.get(stage) ?? null,
      state: phaseOf(pipeline, reached, stage, progress),
      pullRequest: 'pullRequest' in progress ? progress.pullRequest : null,
      proposed,
    })
  }

  return allOk(pipeline.stages.map(readEnvironment))
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

const NO_STAGE = { available: false, targetLifecycle: null, pullRequest: null } as const

/** The specification fixes the reason while a pull request is open, be it that of the overlay or that of the lifecycle. */
function confirmOf(
  pipeline: Pipeline,
  { lifecycle, pulls }: Promotable,
  environments: readonly EnvironmentState[],
): ConfirmState {
  const next = pipeline.stageAfter(lifecycle)
  const environment = environments.find(({ stage }) => stage === next)
  if (environment === undefined) {
    const reason = lifecycle === DEPRECATED ? 'deprecated' : `nothing is above ${lifecycle}`
    return { ...NO_STAGE, reason }
  }
  const { stage, state } = environment
  const changing = openPull(pulls, stage, 'lifecycle')?.number ?? null
  const pullRequest = environment.pullRequest ?? changing
  const ofLifecycle = changing === null ? null : `PR #${changing} pending`
  const reason = {
    ready_to_confirm: ofLifecycle,
    live: ofLifecycle,
    pr_open: `PR #${pullRequest} pending`,
    pr_closed: `PR #${pullRequest} was closed`,
    none: 'overlay missing',
  }[state]
  return {
    available: reason === null,
    targetLifecycle: stage.lifecycle,
    reason,
    pullRequest: reason === null ? null : pullRequest,
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

/** An application in one environment. */
export interface EnvironmentState {
  readonly stage: Stage
  readonly overlay: ExistingOverlay | null
  readonly state: EnvironmentPhase
  readonly pullRequest: number | null
  /** The overlay as a merge of its open pull request would leave it. */
  readonly proposed: {
    /** `null` if the branch has no overlay that can be read. */
    readonly overlay: ExistingOverlay | null
    readonly pullRequest: number
  } | null
}
