import type { RepositoryId } from '../../names.ts'
import type { GitFailure, GitHost } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import type { FieldError } from '../../schema/field-error.ts'
import { databaseOf, type Image } from '../gitops/overlay.ts'
import type { Applications } from './application.ts'
import { promotionTitle } from './describe.ts'
import type { Admission } from './gate.ts'
import {
  type Claim,
  conflictingClaim,
  type createOverlayClaims,
  NO_CLAIMS,
  type OverlayClaim,
} from './overlay-claims.ts'
import { findRival, type RivalFailure } from './rival.ts'
import { type OverlayRequest, overlayProposal, overlayRequestOf } from './overlay-request.ts'
import type { Pipeline, Stage } from './pipeline.ts'
import type { Plan } from './plan.ts'
import { type ProposalRequest, readMoveStanding } from './propose.ts'
import { resourceFaults } from './quantity.ts'
import { imageFor, type OverlaySpec } from './render.ts'
import type { PromotionRequest } from './request.ts'
import type { Secrets, SecretsFailure } from './secrets.ts'
import type { EntityRequest, Promotable } from './subject.ts'
import { readyWarnings, warningsOf } from './warnings.ts'

export interface OverlayPlanOptions {
  readonly gitHost: GitHost
  readonly repository: RepositoryId
  readonly pipeline: Pipeline
  readonly claims: ReturnType<typeof createOverlayClaims>
  readonly applications: Applications
  readonly secrets: Pick<Secrets, 'check'>
}

export type OverlayPlanFailure =
  | {
      readonly kind: 'not_promotable'
      readonly reason: 'base_unusable'
      /** The first thing that the base lacks, for people. */
      readonly missing: string
    }
  | { readonly kind: 'validation_failed'; readonly errors: readonly FieldError[] }
  | { readonly kind: 'host_taken'; readonly claimedBy: string }
  | { readonly kind: 'database_taken'; readonly name: string; readonly claimedBy: string }
  | RivalFailure
  | SecretsFailure
  | GitFailure

/** The overlay of a stage as requested, its values checked against the application and against other applications. */
export async function planOverlay(
  options: OverlayPlanOptions,
  entityRequest: EntityRequest,
  request: PromotionRequest,
  admission: Admission,
  { kind, stage }: { readonly kind: 'propose' | 'ready_to_confirm'; readonly stage: Stage },
): Promise<Result<Plan, OverlayPlanFailure>> {
  const { promotable } = admission
  if (kind === 'ready_to_confirm') return ok(planConfirmation(request, promotable, stage))
  const { base } = promotable.application
  if (!base.ok) {
    return err({ kind: 'not_promotable', reason: 'base_unusable', missing: base.error })
  }
  const overlay = overlayRequestOf(options.pipeline, request, promotable, stage, base.value)
  const faults = resourceFaults(base.value.resources, overlay.spec.config.resources)
  if (faults.length > 0) return err({ kind: 'validation_failed', errors: faults })
  const proposal = overlayProposal(options.repository, entityRequest, request, admission, overlay)
  return planProposal(options, admission, overlay, proposal)
}

/** Needs the overlay alone: a base that Portico cannot read may well be one that kustomize builds. */
function planConfirmation(
  request: PromotionRequest,
  { team, app, application }: Promotable,
  stage: Stage,
): Plan {
  const { base, overlays } = application
  return {
    change: null,
    title: promotionTitle({ team, app, environment: stage.environment }),
    image: base.ok
      ? {
          name: base.value.image,
          image: overlays.get(stage)?.image ?? null,
          carriedFrom: null,
        }
      : null,
    stage,
    warnings: readyWarnings(request),
  }
}

async function planProposal(
  options: OverlayPlanOptions,
  { subject, promotable }: Admission,
  { spec, secrets }: OverlayRequest,
  proposal: ProposalRequest,
): Promise<Result<Plan, OverlayPlanFailure>> {
  const { gitHost, pipeline, secrets: store } = options
  const { stage } = spec
  const wanted = wantedBy(spec)
  const [rival, claims, found, checked] = await Promise.all([
    findRival(options, subject.commit, promotable, stage),
    wanted.length === 0 ? ok(NO_CLAIMS) : options.claims.read(subject.commit),
    readMoveStanding(gitHost, proposal, promotable.pulls),
    secrets === null ? ok(null) : store.check(secrets),
  ])
  if (!rival.ok) return rival
  if (!claims.ok) return claims
  for (const each of wanted) {
    const claim = conflictingClaim(claims.value.claims, each, promotable, stage)
    if (claim !== undefined) return err(takenBy(claim))
  }
  if (!found.ok) return found
  if (!checked.ok) return checked
  const { standing, current, warnings } = found.value
  const image = imageFor(spec, current)
  const host = spec.config.ingress?.host
  return ok({
    change: { proposal, standing, current, secrets: checked.value },
    title: proposal.title,
    image: chosenImage(spec, image),
    stage,
    warnings: [...warningsOf({ image, host, ...claims.value, pipeline }), ...warnings],
  })
}

function wantedBy({ promotable, stage, base, config }: OverlaySpec): readonly Claim[] {
  const host = config.ingress?.host
  const { app } = promotable
  const database = databaseOf({ app, environment: stage.environment, base, config })
  return [
    ...(host === undefined ? [] : [{ kind: 'host', name: host } as const]),
    ...(database === undefined ? [] : [{ kind: 'database', name: database.name } as const]),
  ]
}

const takenBy = ({ kind, name, path }: OverlayClaim) =>
  kind === 'host'
    ? ({ kind: 'host_taken', claimedBy: path } as const)
    : ({ kind: 'database_taken', name, claimedBy: path } as const)

function chosenImage(
  { base, tag, carried, carriedFrom }: OverlaySpec,
  image: Image | null,
): Plan['image'] {
  const isCarried =
    tag === null &&
    carried !== null &&
    image?.tag === carried.tag &&
    image.digest === carried.digest
  return { name: base.image, image, carriedFrom: isCarried ? carriedFrom : null }
}
