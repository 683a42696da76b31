import { type RepositoryId, secretPath } from '../../names.ts'
import { askerOf, authorOf } from '../gitops/author.ts'
import { type Base, isUntagged, OVERLAY_BYTES_MAX } from '../gitops/overlay.ts'
import { describePromotion } from './describe.ts'
import type { Admission } from './gate.ts'
import type { Move } from './move.ts'
import type { Pipeline, Stage } from './pipeline.ts'
import type { ProposalRequest } from './propose.ts'
import { overlayFiles, overlayPaths, type OverlaySpec } from './render.ts'
import type { PromotionRequest } from './request.ts'
import type { SecretsRequest } from './secrets.ts'
import type { EntityRequest, Promotable } from './subject.ts'

/** A promotion request in terms of one overlay: its values, its secrets and the pull request that proposes it. */
export interface OverlayRequest {
  readonly spec: OverlaySpec
  readonly secrets: SecretsRequest | null
}

export function overlayRequestOf(
  pipeline: Pipeline,
  { overlayConfig = {} }: PromotionRequest,
  promotable: Promotable,
  stage: Stage,
  base: Base,
): OverlayRequest {
  const {
    secrets: values = {},
    overwriteSecrets: overwrite = false,
    image,
    ...config
  } = overlayConfig
  const { team, app, application } = promotable
  const previous = pipeline.stageBefore(stage)
  const carried = (previous && application.overlays.get(previous)?.image) ?? null
  const path = secretPath(team, app, stage.environment)
  return {
    spec: {
      promotable,
      base,
      stage,
      namespace: pipeline.namespaceIn(stage, base.namespace),
      config,
      tag: image?.tag ?? null,
      carried: isUntagged(carried) ? null : carried,
      carriedFrom: previous?.environment ?? null,
    },
    secrets: Object.keys(values).length === 0 ? null : { path, values, overwrite },
  }
}

export function overlayProposal(
  repository: RepositoryId,
  { principal }: EntityRequest,
  { message = '' }: PromotionRequest,
  { subject: { branch, commit }, promotable: { team, app } }: Admission,
  { spec, secrets }: OverlayRequest,
): ProposalRequest {
  const { stage } = spec
  const move: Move = { team, app, act: 'promote', environment: stage.environment }
  return {
    repository,
    move,
    base: { branch, commit },
    files: (current) => overlayFiles(spec, current),
    paths: overlayPaths(spec),
    maxBytes: OVERLAY_BYTES_MAX,
    ...describePromotion({ principal, move, stage, message, secrets }),
    author: authorOf(principal),
    askedBy: askerOf(principal),
  }
}
