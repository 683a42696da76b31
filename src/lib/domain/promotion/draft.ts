import type { GitFailure } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import type { Decision } from '../audit/decision.ts'
import type { EditFailure } from '../gitops/edit-entity.ts'
import { decideMove, type MoveRefusal } from './decide.ts'
import { type DeprecateOptions, deprecation } from './deprecate.ts'
import { actionOf, admit, type Admission, type GateFailure } from './gate.ts'
import type { OverlayFactsSource } from './overlay/facts.ts'
import { type OverlayPlanFailure, planOverlay } from './overlay/plan.ts'
import type { Target } from './pipeline.ts'
import type { Plan } from './plan.ts'
import { progressOf } from './progress.ts'
import { readMoveStanding } from './propose.ts'
import type { PromotionRequest } from './request.ts'
import type { EntityRequest } from './subject.ts'
import { deprecationWarnings } from './warnings.ts'

export interface DraftOptions extends DeprecateOptions, OverlayFactsSource {}

export type DraftFailure =
  | GateFailure
  | Extract<MoveRefusal, { kind: 'invalid_transition' }>
  | OverlayPlanFailure
  | EditFailure
  | GitFailure

/** A request after every check and before every effect. */
export interface Draft extends Admission, Plan {
  readonly target: Target
}

/** Every check, in the order of the contract: role, transition, values. Nothing is written. The tries of one request share its `decision`. */
export async function draft(
  options: DraftOptions,
  entityRequest: EntityRequest,
  request: PromotionRequest,
  mode: { readonly dryRun?: boolean } = {},
  decision?: Decision,
): Promise<Result<Draft, DraftFailure>> {
  const target = request.targetLifecycle
  const asked = { action: actionOf(target), target, ...mode }
  const admission = await admit(options, entityRequest, asked, decision)
  if (!admission.ok) return admission
  const plan = await planFor(options, entityRequest, request, admission.value)
  if (!plan.ok) {
    await admission.value.trail.refused(plan.error)
    return plan
  }
  return ok({ ...admission.value, ...plan.value, target })
}

async function planFor(
  options: DraftOptions,
  entityRequest: EntityRequest,
  request: PromotionRequest,
  admission: Admission,
): Promise<Result<Plan, DraftFailure>> {
  const { promotable } = admission
  const { pipeline } = options
  const decided = decideMove(pipeline, promotable.lifecycle, request.targetLifecycle, (stage) =>
    progressOf(promotable, stage),
  )
  if (!decided.ok) return decided
  if (decided.value.kind === 'deprecate') {
    return planDeprecation(options, entityRequest, request, admission)
  }
  return planOverlay(options, entityRequest, request, admission, decided.value)
}

async function planDeprecation(
  options: DraftOptions,
  entityRequest: EntityRequest,
  request: PromotionRequest,
  admission: Admission,
): Promise<Result<Plan, DraftFailure>> {
  const proposal = await deprecation(options, entityRequest, request, admission)
  if (!proposal.ok) return proposal
  const { pulls } = admission.promotable
  const standing = await readMoveStanding(options.gitHost, proposal.value, pulls)
  if (!standing.ok) return standing
  return ok({
    kind: 'deprecation',
    change: {
      proposal: proposal.value,
      standing: standing.value.standing,
      files: proposal.value.files(standing.value.current) ?? [],
    },
    secrets: null,
    title: proposal.value.title,
    warnings: [...deprecationWarnings(request), ...standing.value.warnings],
    image: null,
    stage: null,
  })
}
