import { type RepositoryId, secretPath } from '../../../names.ts'
import { askerOf, authorOf } from '../../gitops/author.ts'
import { type Base, isUntagged, OVERLAY_BYTES_MAX } from '../../gitops/overlay.ts'
import { describePromotion } from '../describe.ts'
import type { Admission } from '../gate.ts'
import type { Pipeline, Stage } from '../pipeline.ts'
import type { MoveQuery, ProposalRequest } from '../propose.ts'
import { type LiveFolder, overlayFiles, overlayPaths, type OverlaySpec } from './render.ts'
import type { PromotionRequest } from '../request.ts'
import type { RequestedImage } from './requested-image.ts'
import type { SecretsRequest } from '../secrets.ts'
import type { EntityRequest, Promotable } from '../subject.ts'

/** A promotion request in terms of one overlay: its values, its secrets and the pull request that proposes it. */
export interface OverlayRequest {
  readonly spec: Omit<OverlaySpec, 'live'>
  readonly secrets: SecretsRequest | null
}

/** The request for a stage. `live` is read later. */
export function overlayRequestOf(
  pipeline: Pipeline,
  { overlayConfig = {} }: PromotionRequest,
  promotable: Promotable,
  stage: Stage,
  base: Base,
  requested: RequestedImage,
): OverlayRequest {
  const {
    secrets: values = {},
    overwriteSecrets: overwrite = false,
    image: _,
    ...config
  } = overlayConfig
  const { team, app, application } = promotable
  const previous = pipeline.stageBefore(stage)
  const before = previous && application.overlays.get(previous)
  const carried = before?.image ?? null
  const namespace = base.namespace ?? before?.namespace ?? null
  const path = secretPath(team, app, stage.environment)
  return {
    spec: {
      promotable,
      base,
      stage,
      namespace: namespace === null ? null : pipeline.namespaceIn(stage, namespace),
      config,
      ...requested,
      carried: isUntagged(carried) ? null : carried,
      carriedFrom: previous?.environment ?? null,
    },
    secrets: Object.keys(values).length === 0 ? null : { path, values, overwrite },
  }
}

/** The part of an overlay's proposal that finds its pull request. */
export function overlayQuery(
  repository: RepositoryId,
  { subject: { branch, commit }, promotable }: Admission,
  stage: Stage,
  live: LiveFolder | null,
): MoveQuery {
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
  query: MoveQuery,
  { principal }: EntityRequest,
  { message = '' }: PromotionRequest,
  spec: OverlaySpec,
  secrets: SecretsRequest | null,
): ProposalRequest {
  const { stage, live, promotable } = spec
  const kind = live === null ? 'promotion' : 'release'
  const isConfirmed = !pipeline.hasReached(promotable.lifecycle, stage)
  const { move } = query
  return {
    ...query,
    files(current) {
      const files = overlayFiles(spec, current)
      return files.ok ? files.value : undefined
    },
    ...describePromotion({ kind, principal, move, stage, isConfirmed, message, secrets }),
    author: authorOf(principal),
    askedBy: askerOf(principal),
  }
}
