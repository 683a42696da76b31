import { err, ok, type Result } from '../../result.ts'
import { authorise, type Forbidden } from '../access/authorise.ts'
import { managersOf, type Principal } from '../access/principal.ts'
import { DEPRECATED, type Lifecycle, type Pipeline, type Stage, type Target } from './pipeline.ts'
import { isOnMain, type Progress } from './progress.ts'

/** The rules of promotion. Pure: `tests/domain/promotion/decide.test.ts` has every combination. */

export type MoveRefusal =
  | {
      readonly kind: 'invalid_transition'
      readonly from: Lifecycle
      readonly to: Target
      readonly allowed: readonly Target[]
    }
  | { readonly kind: 'pr_pending'; readonly pullRequest: number }
  | { readonly kind: 'pr_closed'; readonly pullRequest: number }
  | { readonly kind: 'overlay_missing'; readonly environment: string }

/**
 * The groups of which one suffices, the strongest first. A deprecation, which has no stage, is for managers. An entity without a
 * team belongs to the platform team.
 */
export function requiredFor(
  stage: Stage | undefined,
  team: string | null,
  platformGroup: string,
): readonly string[] {
  if (team === null) return [platformGroup]
  const managers = [platformGroup, managersOf(team)]
  return stage?.promotedBy === 'member' ? [...managers, team] : managers
}

/** Answers the groups that granted the move. A deprecation, which has no stage, changes every environment. */
export function authoriseMove(
  principal: Principal,
  stage: Stage | undefined,
  required: readonly string[],
): Result<readonly string[], Forbidden> {
  const { onlyEnvironments: environments } = principal
  if (environments === undefined) return authorise(principal, required)
  return stage !== undefined && environments.includes(stage.environment)
    ? authorise(principal, required)
    : err({ kind: 'forbidden', required, environments })
}

/** An overlay on the default branch is live once the lifecycle has reached its stage: releases change it. */
const isLive = (
  pipeline: Pipeline,
  lifecycle: Lifecycle,
  stage: Stage,
  progress: Progress,
): boolean => pipeline.hasReached(lifecycle, stage) && isOnMain(progress)

export type EnvironmentPhase = 'none' | 'pr_open' | 'pr_closed' | 'ready_to_confirm' | 'live'

/** The state of an environment, as answers name it. */
export function phaseOf(
  pipeline: Pipeline,
  lifecycle: Lifecycle,
  stage: Stage,
  progress: Progress,
): EnvironmentPhase {
  if (isLive(pipeline, lifecycle, stage, progress)) return 'live'
  return progress.kind === 'on_main' ? 'ready_to_confirm' : progress.kind
}

/**
 * The targets that a lifecycle allows: the next stage, those that it has reached, and deprecation. A reached stage takes releases or,
 * without an overlay because it was added later, a promotion that leaves the lifecycle as it is.
 */
function movesFrom(pipeline: Pipeline, lifecycle: Lifecycle): readonly Target[] {
  if (lifecycle === DEPRECATED) return []
  const next = pipeline.stageAfter(lifecycle)
  const stages = pipeline.stages.filter(
    (stage) => stage === next || pipeline.hasReached(lifecycle, stage),
  )
  return [...stages.map((stage) => stage.lifecycle), DEPRECATED]
}

export type MoveDecision =
  | { readonly kind: 'propose' | 'ready_to_confirm' | 'release'; readonly stage: Stage }
  | { readonly kind: 'deprecate' }

/** The kinds of moves, as answers name them. */
export const MOVE_KINDS = ['promotion', 'release', 'deprecation'] as const
export type MoveKind = (typeof MOVE_KINDS)[number]

/** Decides a request to promote, release or deprecate. The role was checked before. */
export function decideMove(
  pipeline: Pipeline,
  lifecycle: Lifecycle,
  target: Target,
  progressOf: (stage: Stage) => Progress,
): Result<MoveDecision, Extract<MoveRefusal, { kind: 'invalid_transition' }>> {
  const allowed = movesFrom(pipeline, lifecycle)
  if (!allowed.includes(target)) {
    return err({ kind: 'invalid_transition', from: lifecycle, to: target, allowed })
  }
  const stage = pipeline.stageOf(target)
  if (stage === undefined) return ok({ kind: 'deprecate' })
  const progress = progressOf(stage)
  if (isLive(pipeline, lifecycle, stage, progress)) return ok({ kind: 'release', stage })
  return ok({ kind: progress.kind === 'on_main' ? 'ready_to_confirm' : 'propose', stage })
}

export type ConfirmationDecision =
  { readonly kind: 'advance'; readonly stage: Stage } | { readonly kind: 'already_confirmed' }

/**
 * Decides a request to finish a promotion. An overlay on the default branch suffices, whoever merged it. `lifecyclePull`: number of the
 * open pull request that changes the lifecycle already.
 */
export function decideConfirmation(
  pipeline: Pipeline,
  lifecycle: Lifecycle,
  target: Stage,
  progress: Progress,
  lifecyclePull: number | undefined,
): Result<ConfirmationDecision, MoveRefusal> {
  const isReached = lifecycle === target.lifecycle
  if (isReached && isOnMain(progress)) return ok({ kind: 'already_confirmed' })
  const next = pipeline.stageAfter(lifecycle)
  if (!isReached && next !== target) {
    const allowed = next === undefined ? [] : [next.lifecycle]
    return err({ kind: 'invalid_transition', from: lifecycle, to: target.lifecycle, allowed })
  }
  switch (progress.kind) {
    case 'on_main':
      return lifecyclePull === undefined
        ? ok({ kind: 'advance', stage: target })
        : err({ kind: 'pr_pending', pullRequest: lifecyclePull })
    case 'pr_open':
      return err({ kind: 'pr_pending', pullRequest: progress.pullRequest })
    case 'pr_closed':
      return err({ kind: 'pr_closed', pullRequest: progress.pullRequest })
    case 'none':
      return err({ kind: 'overlay_missing', environment: target.environment })
  }
}
