import { authorise } from '../access/authorise.ts'
import type { Principal } from '../access/principal.ts'
import { ABSENT, type Application, type ExistingOverlay } from './application.ts'
import { requiredFor } from './decide.ts'
import type { MovePullRequest } from './pulls.ts'
import { DEPRECATED, type Lifecycle, type Pipeline, type Stage } from './pipeline.ts'
import { progressOf } from './progress.ts'
import type { Promotable, Subject, Unpromotable } from './subject.ts'

/** The state of an application in every environment. */
export interface PromotionState {
  readonly subject: Subject
  readonly lifecycle: string | null
  /** By environment. */
  readonly imageTags: Readonly<Record<string, string | null>>
  readonly environments: readonly EnvironmentState[]
  /** Only open ones. */
  readonly pullRequests: readonly MovePullRequest[]
  readonly next: NextStage | null
  readonly confirm: ConfirmState
  readonly drift: readonly Drift[]
}

export interface EnvironmentState {
  readonly stage: Stage
  readonly overlay: ExistingOverlay | null
  readonly state: 'none' | 'pr_open' | 'pr_closed' | 'ready_to_confirm' | 'live'
  readonly pullRequest: number | null
}

export interface NextStage {
  readonly stage: Stage
  readonly allowed: boolean
  readonly requires: readonly string[]
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

export function stateOf(
  { pipeline, platformGroup }: { readonly pipeline: Pipeline; readonly platformGroup: string },
  subject: Subject,
  principal: Principal,
): PromotionState {
  const { eligibility } = subject
  if (eligibility.kind === 'not_promotable') return unpromotable(pipeline, subject, eligibility)
  const { lifecycle, team, pulls } = eligibility
  const environments = pipeline.stages.map((stage) => environmentOf(pipeline, eligibility, stage))
  const stage = pipeline.stageAfter(lifecycle)
  return {
    subject,
    lifecycle,
    imageTags: imageTagsOf(pipeline, eligibility.application),
    environments,
    pullRequests: pulls.filter(({ pull }) => pull.state === 'open'),
    next:
      stage === undefined
        ? null
        : nextOf(stage, principal, requiredFor(stage, team, platformGroup)),
    confirm: confirmOf(eligibility, stage),
    drift: driftOf(pipeline, lifecycle, environments),
  }
}

const nextOf = (stage: Stage, principal: Principal, requires: readonly string[]): NextStage => ({
  stage,
  allowed: authorise(principal, requires).ok,
  requires,
})

const imageTagsOf = ({ stages }: Pipeline, { overlays }: Application) =>
  Object.fromEntries(
    stages.map((stage) => [stage.environment, overlays.get(stage)?.image?.tag ?? null]),
  )

function unpromotable(
  pipeline: Pipeline,
  subject: Subject,
  { reason }: Unpromotable,
): PromotionState {
  return {
    subject,
    lifecycle: subject.lifecycleText,
    imageTags: imageTagsOf(pipeline, ABSENT),
    environments: [],
    pullRequests: [],
    next: null,
    confirm: { available: false, targetLifecycle: null, reason, pullRequest: null },
    drift: [],
  }
}

function environmentOf(pipeline: Pipeline, promotable: Promotable, stage: Stage): EnvironmentState {
  const overlay = promotable.application.overlays.get(stage) ?? null
  const progress = progressOf(promotable, stage)
  const pullRequest = 'pullRequest' in progress ? progress.pullRequest : null
  if (progress.kind !== 'on_main') {
    return { stage, overlay, state: progress.kind, pullRequest }
  }
  const state = pipeline.hasReached(promotable.lifecycle, stage) ? 'live' : 'ready_to_confirm'
  return { stage, overlay, state, pullRequest }
}

/** The specification fixes the reason while a pull request is open. */
function confirmOf(promotable: Promotable, stage: Stage | undefined): ConfirmState {
  const no = (reason: string, pullRequest: number | null = null): ConfirmState => ({
    available: false,
    targetLifecycle: stage?.lifecycle ?? null,
    reason,
    pullRequest,
  })
  if (stage === undefined) {
    return no(
      promotable.lifecycle === DEPRECATED
        ? 'deprecated'
        : `nothing is above ${promotable.lifecycle}`,
    )
  }
  const progress = progressOf(promotable, stage)
  switch (progress.kind) {
    case 'on_main':
      return {
        available: true,
        targetLifecycle: stage.lifecycle,
        reason: null,
        pullRequest: null,
      }
    case 'pr_open':
      return no(`PR #${progress.pullRequest} pending`, progress.pullRequest)
    case 'pr_closed':
      return no(`PR #${progress.pullRequest} was closed`, progress.pullRequest)
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
