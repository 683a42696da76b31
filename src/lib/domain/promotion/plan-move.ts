import type { GitFailure } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import type { EditFailure } from '../gitops/edit-entity.ts'
import { plain, quoted } from '../gitops/free-text.ts'
import { decideMove, type MoveRefusal } from './decide.ts'
import { type EntityChange, entityChange } from './entity-change.ts'
import type { Admission } from './exclusive-request.ts'
import type { DepsOfActor } from './dependencies.ts'
import { type OverlayPlanFailure, planOverlay } from './overlay/plan.ts'
import { DEPRECATED } from './pipeline.ts'
import type { Plan } from './plan.ts'
import { progressOf } from './progress.ts'
import type { PromotionRequest } from './request.ts'
import type { EntityRequest } from './subject.ts'
import { unchangedWarnings } from './warnings.ts'

export type PlanFailure =
  | Extract<MoveRefusal, { kind: 'invalid_transition' }>
  | OverlayPlanFailure
  | EditFailure
  | GitFailure

const UNCHANGED =
  'a deprecation changes no overlay and writes no secrets; nothing of overlayConfig is applied'

/** Every check after the role, in the order of the contract: transition, values. Nothing is written. */
export async function planMove(
  deps: DepsOfActor,
  entityRequest: EntityRequest,
  request: PromotionRequest,
  admission: Admission,
): Promise<Result<Plan, PlanFailure>> {
  const { promotable } = admission
  const target = request.targetLifecycle
  const decided = decideMove(deps.pipeline, promotable.lifecycle, target, (stage) =>
    progressOf(promotable, stage),
  )
  if (!decided.ok) return decided
  if (decided.value.kind !== 'deprecate') {
    return planOverlay(deps, entityRequest, request, admission, decided.value)
  }
  const change = await deprecation(deps, entityRequest, request, admission)
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

/** The change that deprecates an entity: its lifecycle, and annotations with the reason, the person and the replacement. */
function deprecation(
  deps: DepsOfActor,
  entityRequest: EntityRequest,
  { deprecation = {} }: PromotionRequest,
  admission: Admission,
): Promise<Result<EntityChange, GitFailure | EditFailure>> {
  const { reason, replacedBy, sunsetAt } = deprecation
  const { principal } = entityRequest
  const { team, app } = admission.promotable
  const annotations = {
    reason,
    'replaced-by': replacedBy,
    'sunset-at': sunsetAt,
    by: principal.subject,
    at: deps.today(),
  }
  return entityChange(deps, entityRequest, admission, {
    move: { team, app, act: 'deprecate', environment: '' },
    edits: [
      { path: ['spec', 'lifecycle'], value: DEPRECATED },
      ...Object.entries(annotations).flatMap(([name, value]) =>
        value === undefined || value === ''
          ? []
          : [{ path: ['metadata', 'annotations', `portico/deprecated-${name}`], value }],
      ),
    ],
    title: `[Deprecate] ${team}/${app}`,
    summary: `deprecate: ${team}/${app}`,
    body: [
      `Marks **${team}/${app}** as deprecated, asked for by ${plain(principal.name)}.`,
      ...(reason ? ['', ...quoted(reason)] : []),
    ],
  })
}
