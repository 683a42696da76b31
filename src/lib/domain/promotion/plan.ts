import type { GitFailure } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import type { EditFailure } from '../gitops/edit-entity.ts'
import type { Image } from '../gitops/overlay.ts'
import type { Target as Branch, WrittenFile } from '../gitops/propose.ts'
import { decideMove, type MoveKind, type MoveRefusal } from './decide.ts'
import { type DeprecateOptions, deprecation } from './deprecate.ts'
import type { Admission } from './gate.ts'
import type { OverlayFactsSource } from './overlay/facts.ts'
import { type OverlayPlanFailure, planOverlay } from './overlay/plan.ts'
import type { Stage, Target } from './pipeline.ts'
import { progressOf } from './progress.ts'
import type { Proposal } from './proposal.ts'
import type { PromotionRequest } from './request.ts'
import type { CheckedSecrets } from './secrets.ts'
import type { EntityRequest } from './subject.ts'
import { unchangedWarnings, type Warning } from './warnings.ts'

/** The effects of a request, decided and not yet performed. */
export interface Plan {
  readonly kind: MoveKind
  readonly target: Target
  /** `null`: only the confirmation is due, or a release has nothing but secrets. */
  readonly change: PlannedChange | null
  readonly secrets: CheckedSecrets | null
  /** Title of the pull request. */
  readonly title: string
  readonly image: {
    readonly name: string
    readonly image: Image | null
    readonly carriedFrom: string | null
  } | null
  readonly stage: Stage | null
  readonly warnings: readonly Warning[]
}

export interface PlannedChange {
  readonly proposal: Proposal
  readonly to: Branch
  /** The files of the pull request, as a merge into the default branch as it is now would leave them. */
  readonly files: readonly WrittenFile[]
}

export const PLAN_STATUSES = ['pr_open', 'ready_to_confirm', 'secrets_written'] as const

/** The status that a plan has once it is performed. */
export function statusOf({
  kind,
  change,
}: Pick<Plan, 'kind' | 'change'>): (typeof PLAN_STATUSES)[number] {
  if (change !== null) return 'pr_open'
  return kind === 'release' ? 'secrets_written' : 'ready_to_confirm'
}

export interface PlanOptions extends DeprecateOptions, OverlayFactsSource {}

export type PlanFailure =
  | Extract<MoveRefusal, { kind: 'invalid_transition' }>
  | OverlayPlanFailure
  | EditFailure
  | GitFailure

const UNCHANGED =
  'a deprecation changes no overlay and writes no secrets; nothing of overlayConfig is applied'

/** Every check after the role, in the order of the contract: transition, values. Nothing is written. */
export async function planMove(
  options: PlanOptions,
  entityRequest: EntityRequest,
  request: PromotionRequest,
  admission: Admission,
): Promise<Result<Plan, PlanFailure>> {
  const { promotable } = admission
  const target = request.targetLifecycle
  const decided = decideMove(options.pipeline, promotable.lifecycle, target, (stage) =>
    progressOf(promotable, stage),
  )
  if (!decided.ok) return decided
  if (decided.value.kind !== 'deprecate') {
    return planOverlay(options, entityRequest, request, admission, decided.value)
  }
  const change = await deprecation(options, entityRequest, request, admission)
  if (!change.ok) return change
  const { proposal, to, files, warnings } = change.value
  return ok({
    kind: 'deprecation',
    target,
    change: { proposal, to, files },
    secrets: null,
    title: proposal.title,
    warnings: [...unchangedWarnings(request.overlayConfig, UNCHANGED), ...warnings],
    image: null,
    stage: null,
  })
}
