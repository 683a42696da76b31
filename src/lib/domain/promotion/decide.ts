import { err, ok, type Result } from '../../result.ts'
import { isMember, isPlatform, managersOf, type Principal } from '../access/principal.ts'
import {
  DEPRECATED,
  type Lifecycle,
  type Stage,
  stageAfter,
  stageOf,
  type Target,
} from './pipeline.ts'

/**
 * What a request to move an application means.
 * Pure: each rule is a row of `tests/domain/promotion/decide.test.ts`.
 */

/** Where the overlay of a stage stands. */
export type Standing =
  | { readonly kind: 'none' }
  | { readonly kind: 'pr_open'; readonly pullRequest: number }
  /** The last pull request was closed without a merge. */
  | { readonly kind: 'pr_closed'; readonly pullRequest: number }
  /** On the default branch. */
  | { readonly kind: 'on_main' }

export type Refusal =
  | { readonly kind: 'forbidden'; readonly required: readonly string[] }
  | {
      readonly kind: 'invalid_transition'
      readonly from: Lifecycle
      readonly to: Target
      readonly allowed: readonly Target[]
    }
  | { readonly kind: 'pr_pending'; readonly pullRequest: number }
  | { readonly kind: 'pr_closed'; readonly pullRequest: number }
  | { readonly kind: 'overlay_missing'; readonly environment: string }

/** Groups one of which is enough, the strongest first. */
export function requiredFor(
  target: Target,
  team: string,
  platformGroup: string,
): readonly string[] {
  const managers = [platformGroup, managersOf(team)]
  return stageOf(target)?.by === 'member' ? [...managers, team] : managers
}

export function authorise(
  principal: Principal,
  target: Target,
  team: string,
  platformGroup: string,
): Result<readonly string[], Extract<Refusal, { kind: 'forbidden' }>> {
  const required = requiredFor(target, team, platformGroup)
  const matched = required.filter((group) =>
    group === platformGroup ? isPlatform(principal, platformGroup) : isMember(principal, group),
  )
  return matched.length > 0 ? ok(matched) : err({ kind: 'forbidden', required })
}

/** Every move that a lifecycle allows: one step up, and out. */
function movesFrom(lifecycle: Lifecycle): readonly Target[] {
  if (lifecycle === DEPRECATED) return []
  const next = stageAfter(lifecycle)
  return next === undefined ? [DEPRECATED] : [next.lifecycle, DEPRECATED]
}

export type Proposal =
  | { readonly kind: 'propose'; readonly stage: Stage }
  | { readonly kind: 'ready_to_confirm'; readonly stage: Stage }
  | { readonly kind: 'deprecate' }

/** A request to promote or deprecate, by somebody who may. */
export function decideMove(
  lifecycle: Lifecycle,
  target: Target,
  standingOf: (stage: Stage) => Standing,
): Result<Proposal, Extract<Refusal, { kind: 'invalid_transition' }>> {
  const allowed = movesFrom(lifecycle)
  if (!allowed.includes(target)) {
    return err({ kind: 'invalid_transition', from: lifecycle, to: target, allowed })
  }
  const stage = stageOf(target)
  if (stage === undefined) return ok({ kind: 'deprecate' })
  const isThere = standingOf(stage).kind === 'on_main'
  return ok({ kind: isThere ? 'ready_to_confirm' : 'propose', stage })
}

export type Confirmation =
  { readonly kind: 'advance'; readonly stage: Stage } | { readonly kind: 'already_confirmed' }

/** A request to finish a promotion. An overlay that is there suffices, however it came there. */
export function decideConfirmation(
  lifecycle: Lifecycle,
  target: Stage,
  standing: Standing,
): Result<Confirmation, Exclude<Refusal, { kind: 'forbidden' }>> {
  if (lifecycle === target.lifecycle) return ok({ kind: 'already_confirmed' })
  if (stageAfter(lifecycle) !== target) {
    const allowed = movesFrom(lifecycle)
    return err({ kind: 'invalid_transition', from: lifecycle, to: target.lifecycle, allowed })
  }
  switch (standing.kind) {
    case 'on_main':
      return ok({ kind: 'advance', stage: target })
    case 'pr_open':
      return err({ kind: 'pr_pending', pullRequest: standing.pullRequest })
    case 'pr_closed':
      return err({ kind: 'pr_closed', pullRequest: standing.pullRequest })
    case 'none':
      return err({ kind: 'overlay_missing', environment: target.environment })
  }
}
