import { type RepositoryId, secretPath } from '../../../names.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { FieldError } from '../../../schema/field-error.ts'
import { requesterOf, authorOf } from '../../gitops/author.ts'
import { type Base, isUntagged, OVERLAY_BYTES_MAX } from '../../gitops/overlay.ts'
import { describePromotion } from '../describe.ts'
import type { Admission } from '../exclusive-request.ts'
import type { Pipeline, Stage } from '../pipeline.ts'
import type { MoveFiles, Proposal } from '../proposal.ts'
import { type LiveFolder, overlayPaths, type OverlaySpec } from './render.ts'
import type { PromotionRequest } from '../request.ts'
import type { EntityRequest, Promotable } from '../subject.ts'

/** The image that a request names, by tag and digest or by an environment that runs it. */
function requestedImage(
  { stages }: Pipeline,
  { overlayConfig = {} }: PromotionRequest,
  { application }: Pick<Promotable, 'application'>,
): Result<Pick<OverlaySpec, 'image' | 'imageFrom'>, FieldError> {
  const { tag, digest, from } = overlayConfig.image ?? {}
  if (from === undefined) {
    const image = { tag: tag ?? null, digest: digest ?? null }
    return ok({ image: isUntagged(image) ? null : image, imageFrom: null })
  }
  const stage = stages.find(({ environment }) => environment === from)
  const image = (stage && application.overlays.get(stage)?.image) ?? null
  return isUntagged(image)
    ? err({
        path: '/overlayConfig/image/from',
        rule: 'nothing_runs',
        message: 'must be an environment that runs an image of the application, such as dev',
      })
    : ok({ image, imageFrom: from })
}

/** A promotion request in terms of one overlay. `live` is read later. */
export function overlaySpecOf(
  pipeline: Pipeline,
  request: PromotionRequest,
  promotable: Promotable,
  stage: Stage,
  base: Base,
): Result<Omit<OverlaySpec, 'live'>, FieldError> {
  const requested = requestedImage(pipeline, request, promotable)
  if (!requested.ok) return requested
  const {
    secrets: values = {},
    overwriteSecrets: overwrite = false,
    image: _,
    ...config
  } = request.overlayConfig ?? {}
  const { team, app, application } = promotable
  const previous = pipeline.stageBefore(stage)
  const before = previous && application.overlays.get(previous)
  const carried = before?.image ?? null
  const namespace = base.namespace ?? before?.namespace ?? null
  const path = secretPath(team, app, stage.environment)
  return ok({
    promotable,
    base,
    stage,
    namespace: namespace === null ? null : pipeline.namespaceIn(stage, namespace),
    config,
    ...requested.value,
    carried: isUntagged(carried) ? null : carried,
    carriedFrom: previous?.environment ?? null,
    secrets: Object.keys(values).length === 0 ? null : { path, values, overwrite },
  })
}

/** The move of an overlay, and the files that it may write. */
export function overlayMove(
  repository: RepositoryId,
  { subject: { branch, commit }, promotable }: Admission,
  stage: Stage,
  live: LiveFolder | null,
): MoveFiles {
  const { team, app } = promotable
  return {
    repository,
    move: { team, app, act: 'promote', environment: stage.environment },
    base: { branch, commit },
    paths: overlayPaths({ promotable, stage, live }),
    maxBytes: OVERLAY_BYTES_MAX,
  }
}

export function overlayProposal(
  pipeline: Pipeline,
  { repository, base, move }: MoveFiles,
  entityRequest: EntityRequest,
  { message = '' }: PromotionRequest,
  { stage, live, promotable, secrets }: OverlaySpec,
): Omit<Proposal, 'changes'> {
  const { principal } = entityRequest
  const kind = live === null ? 'promotion' : 'release'
  const needsConfirmation = !pipeline.hasReached(promotable.lifecycle, stage)
  return {
    repository,
    base,
    move,
    ...describePromotion({ kind, principal, move, stage, needsConfirmation, message, secrets }),
    author: authorOf(principal),
    askedBy: requesterOf(principal),
  }
}
