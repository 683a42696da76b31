import { secretPath } from '../../names.ts'
import type { GitFailure } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import type { FieldError } from '../../schema/field-error.ts'
import { authorOf } from '../gitops/author.ts'
import {
  type Base,
  type Image,
  isUntagged,
  OVERLAY_BYTES_MAX,
  type Resources,
} from '../gitops/overlay.ts'
import type { EditFailure } from '../gitops/edit-entity.ts'
import { decideMove, type MoveRefusal } from './decide.ts'
import { type DeprecateOptions, deprecation } from './deprecate.ts'
import { describePromotion } from './describe.ts'
import { actionOf, admit, type Admitted, type Asking, type GateFailure } from './gate.ts'
import { claimOf, type createHosts } from './hosts.ts'
import type { Move } from './move.ts'
import { readMoveBranch } from './move-branch.ts'
import type { Pipeline, Stage, Target } from './pipeline.ts'
import { progressOf } from './progress.ts'
import type { ProposalRequest } from './propose.ts'
import { isAtMost, parseQuantity } from './quantity.ts'
import { imageFor, overlayFiles, overlayPaths, type OverlayWish } from './render.ts'
import type { PromotionRequest } from './request.ts'
import type { createSecrets, SecretsFailure, SecretsRequest } from './secrets.ts'
import type { Promotable } from './subject.ts'
import type { Texts } from './texts.ts'
import { readyWarnings, type Warning, warningsOf } from './warnings.ts'

export interface DraftOptions extends DeprecateOptions {
  readonly hosts: ReturnType<typeof createHosts>
  readonly secrets: Pick<ReturnType<typeof createSecrets>, 'check'>
}

export type DraftFailure =
  | GateFailure
  | Extract<MoveRefusal, { kind: 'invalid_transition' }>
  | { readonly kind: 'validation_failed'; readonly errors: readonly FieldError[] }
  | { readonly kind: 'host_taken'; readonly host: string; readonly claimedBy: string }
  | EditFailure
  | SecretsFailure
  | GitFailure

/** What a request comes to, before anything is done. */
export interface Draft extends Admitted, Plan {
  readonly target: Target
}

interface Plan {
  /** Nothing to propose: the overlay is on the default branch, and waits for its confirmation. */
  readonly isReady: boolean
  readonly proposal: ProposalRequest
  /** What the open pull request has of the proposed files. */
  readonly current: Texts
  readonly secrets: SecretsRequest | null
  readonly image: {
    readonly name: string
    readonly image: Image | null
    readonly carriedFrom: string | null
  } | null
  readonly stage: Stage | null
  readonly warnings: readonly Warning[]
}

/** Every check, in the order of the contract: role, transition, values. Nothing is written. */
export async function draft(
  options: DraftOptions,
  asking: Asking,
  request: PromotionRequest,
  mode: { readonly dryRun?: boolean } = {},
): Promise<Result<Draft, DraftFailure>> {
  const target = request.targetLifecycle
  const admitted = await admit(options, asking, { action: actionOf(target), target, ...mode })
  if (!admitted.ok) return admitted
  const plan = await planFor(options, asking, request, admitted.value)
  if (!plan.ok) {
    await admitted.value.trail.denied(plan.error.kind)
    return plan
  }
  return ok({ ...admitted.value, ...plan.value, target })
}

async function planFor(
  options: DraftOptions,
  asking: Asking,
  request: PromotionRequest,
  admitted: Admitted,
): Promise<Result<Plan, DraftFailure>> {
  const { promotable } = admitted
  const { pipeline } = options
  const decided = decideMove(pipeline, promotable.lifecycle, request.targetLifecycle, (stage) =>
    progressOf(promotable, stage),
  )
  if (!decided.ok) return decided
  if (decided.value.kind === 'deprecate') {
    return planDeprecation(options, asking, request, admitted)
  }
  const { kind, stage } = decided.value
  const { base } = promotable.application
  if (base === null) return err({ kind: 'not_promotable', reason: 'base_unusable' })
  const asked = askedOf(pipeline, request, promotable, stage, base)
  const faults = resourceFaults(base, asked.wish.config.resources)
  if (faults.length > 0) return err({ kind: 'validation_failed', errors: faults })
  const proposal = overlayProposal(options, asking, request, admitted, asked)
  return kind === 'ready_to_confirm'
    ? ok(planNothing(request, asked, proposal))
    : planOverlay(options, admitted, asked, proposal)
}

async function planDeprecation(
  options: DraftOptions,
  asking: Asking,
  request: PromotionRequest,
  admitted: Admitted,
): Promise<Result<Plan, DraftFailure>> {
  const proposal = await deprecation(options, asking, request, admitted)
  if (!proposal.ok) return proposal
  const branch = await readMoveBranch(options.gitHost, proposal.value, admitted.promotable.pulls)
  if (!branch.ok) return branch
  return ok({
    ...branch.value,
    isReady: false,
    proposal: proposal.value,
    secrets: null,
    image: null,
    stage: null,
  })
}

interface Asked {
  readonly wish: OverlayWish
  readonly secrets: SecretsRequest | null
}

function askedOf(
  pipeline: Pipeline,
  { overlayConfig = {} }: PromotionRequest,
  promotable: Promotable,
  stage: Stage,
  base: Base,
): Asked {
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
    wish: {
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

function overlayProposal(
  { repository }: DraftOptions,
  { principal }: Asking,
  { message = '' }: PromotionRequest,
  { subject: { branch, commit }, promotable: { team, app } }: Admitted,
  { wish, secrets }: Asked,
): ProposalRequest {
  const { stage } = wish
  const move: Move = { team, app, act: 'promote', environment: stage.environment }
  return {
    repository,
    move,
    base: { branch, commit },
    files: (current) => overlayFiles(wish, current),
    paths: overlayPaths(wish),
    maxBytes: OVERLAY_BYTES_MAX,
    ...describePromotion({ principal, move, stage, message, secrets }),
    author: authorOf(principal),
  }
}

function planNothing(request: PromotionRequest, { wish }: Asked, proposal: ProposalRequest): Plan {
  const { stage, promotable } = wish
  const onMain = promotable.application.overlays.get(stage)?.image ?? null
  return {
    isReady: true,
    proposal,
    current: new Map(),
    secrets: null,
    image: chosenImage(wish, onMain),
    stage,
    warnings: readyWarnings(request),
  }
}

async function planOverlay(
  { gitHost, hosts, pipeline, secrets: store }: DraftOptions,
  { subject, promotable }: Admitted,
  { wish, secrets }: Asked,
  proposal: ProposalRequest,
): Promise<Result<Plan, DraftFailure>> {
  const { stage } = wish
  const host = wish.config.ingress?.host
  const [claims, branch, free] = await Promise.all([
    host === undefined ? ok([]) : hosts.read(subject.commit),
    readMoveBranch(gitHost, proposal, promotable.pulls),
    secrets === null ? ok(undefined) : store.check(secrets),
  ])
  if (!claims.ok) return claims
  const claim = host === undefined ? undefined : claimOf(claims.value, host, promotable, stage)
  if (claim !== undefined) {
    return err({ kind: 'host_taken', host: claim.host, claimedBy: claim.path })
  }
  if (!branch.ok) return branch
  if (!free.ok) return free
  const { current, warnings } = branch.value
  const image = imageFor(wish, current)
  return ok({
    isReady: false,
    proposal,
    current,
    secrets,
    image: chosenImage(wish, image),
    stage,
    warnings: [...warningsOf({ image, host, claims: claims.value, pipeline }), ...warnings],
  })
}

function chosenImage(
  { base, tag, carried, carriedFrom }: OverlayWish,
  image: Image | null,
): Plan['image'] {
  const isCarried =
    tag === null &&
    carried !== null &&
    image?.tag === carried.tag &&
    image.digest === carried.digest
  return { name: base.image, image, carriedFrom: isCarried ? carriedFrom : null }
}

function resourceFaults(base: Base, given: Resources | undefined): readonly FieldError[] {
  return (['cpu', 'memory'] as const).flatMap((name) => {
    const request = given?.requests?.[name] ?? base.resources.requests?.[name]
    const limit = given?.limits?.[name] ?? base.resources.limits?.[name]
    const [least, most] = [parseQuantity(String(request)), parseQuantity(String(limit))]
    if (least === undefined || most === undefined || isAtMost(least, most)) return []
    const path = `/overlayConfig/resources/requests/${name}`
    return [{ path, message: 'must be at most the limit, which is the base’s where none is given' }]
  })
}
