import { type RepositoryPath, secretPath } from '../../names.ts'
import type { DatabaseFailure } from '../../ports/database.ts'
import type { GitFailure } from '../../ports/git-host.ts'
import type { PresentEntry } from '../../ports/secret-store.ts'
import { err, ok, type Result } from '../../result.ts'
import { authorOf } from '../gitops/author.ts'
import { plain, quoted } from '../gitops/free-text.ts'
import type { Base, Image, Resources } from '../gitops/overlay.ts'
import type { InTurn } from '../../in-turn.ts'
import { decideMove, type Refusal } from './decide.ts'
import { deprecation } from './deprecate.ts'
import {
  actionOf,
  admit,
  type Admitted,
  type Asking,
  type GateFailure,
  type GateOptions,
} from './gate.ts'
import type { createHosts, HostClaim } from './hosts.ts'
import { type Move, trailerOf } from './move.ts'
import { type Stage, stageBefore, type Target } from './pipeline.ts'
import { type FilePreview, previewOf } from './preview.ts'
import {
  currentTexts,
  propose,
  type ProposalRequest,
  type ProposeFailure,
  type Proposed,
} from './propose.ts'
import { isAtMost, parseQuantity } from './quantity.ts'
import { imageFor, overlayFiles, overlayPaths, type OverlayWish } from './render.ts'
import type { FieldError } from '../field-error.ts'
import type { PromotionRequest } from './request.ts'
import type { createSecrets, SecretsFailure, SecretsRequest } from './secrets.ts'
import { standingOf } from './state.ts'
import { conflictWarnings, readyWarnings, type Warning, warningsOf } from './warnings.ts'

export interface PromoteOptions extends GateOptions {
  readonly hosts: ReturnType<typeof createHosts>
  readonly secrets: ReturnType<typeof createSecrets>
  /** Proposals of one application one after another. */
  readonly inTurn: InTurn
  /** ISO date of today, for deprecations. */
  readonly today: () => string
}

export type PromoteFailure =
  | GateFailure
  | Extract<Refusal, { kind: 'invalid_transition' }>
  | { readonly kind: 'validation_failed'; readonly errors: readonly FieldError[] }
  | { readonly kind: 'host_taken'; readonly host: string; readonly claimedBy: string }
  | { readonly kind: 'entity_not_editable'; readonly reason: string }
  | SecretsFailure
  | ProposeFailure
  | DatabaseFailure

/** What a request comes to, before anything is done. */
export interface Draft extends Admitted {
  readonly target: Target
  /** Nothing to propose: the overlay is on the default branch, and waits for its confirmation. */
  readonly isReady: boolean
  readonly proposal: ProposalRequest
  readonly secrets: SecretsRequest | null
  readonly image: {
    readonly name: string
    readonly image: Image | null
    readonly carriedFrom: string | null
  } | null
  readonly stage: Stage | null
  readonly warnings: readonly Warning[]
}

export interface Promoted extends Draft {
  readonly proposed: Proposed | null
  readonly entry: PresentEntry | null
}

export interface PromotionPreview extends Draft {
  readonly files: readonly FilePreview[]
}

/** Every check, in the order of the contract: role, transition, values. Nothing is written. */
async function draft(
  options: PromoteOptions,
  asking: Asking,
  request: PromotionRequest,
): Promise<Result<Draft, PromoteFailure>> {
  const target = request.targetLifecycle
  const admitted = await admit(options, asking, actionOf(target), target)
  if (!admitted.ok) return admitted
  const drafted = await draftAdmitted(options, asking, request, admitted.value)
  if (!drafted.ok) await admitted.value.trail.denied(drafted.error.kind, { target })
  return drafted
}

async function draftAdmitted(
  options: PromoteOptions,
  asking: Asking,
  request: PromotionRequest,
  admitted: Admitted,
): Promise<Result<Draft, PromoteFailure>> {
  const { subject, promotable } = admitted
  const target = request.targetLifecycle
  const decided = decideMove(promotable.lifecycle, target, (stage) => standingOf(promotable, stage))
  if (!decided.ok) return decided
  if (decided.value.kind === 'deprecate') {
    const proposal = await deprecation(options, asking, request, admitted)
    if (!proposal.ok) return proposal
    return ok({
      ...admitted,
      target,
      isReady: false,
      proposal: proposal.value,
      secrets: null,
      image: null,
      stage: null,
      warnings: [],
    })
  }
  const { stage } = decided.value
  const { base } = promotable.application
  if (base === null) return err({ kind: 'not_promotable', reason: 'base_unusable' })
  const {
    secrets: values = {},
    overwriteSecrets: overwrite = false,
    image,
    ...config
  } = request.overlayConfig ?? {}
  const faults = resourceFaults(base, config.resources)
  if (faults.length > 0) return err({ kind: 'validation_failed', errors: faults })

  const previous = stageBefore(stage)
  const carried = (previous && promotable.application.overlays.get(previous)?.image) ?? null
  const wish: OverlayWish = { promotable, base, stage, config, tag: image?.tag ?? null, carried }
  const paths = overlayPaths(wish)
  const claims =
    config.ingress?.host === undefined ? ok([]) : await options.hosts.read(subject.commit)
  if (!claims.ok) return claims
  const taken = claimedElsewhere(claims.value, config.ingress?.host, paths)
  if (taken !== undefined) {
    return err({ kind: 'host_taken', host: taken.host, claimedBy: taken.path })
  }
  const secrets =
    Object.keys(values).length === 0
      ? null
      : { path: secretPath(promotable.team, promotable.app, stage.environment), values, overwrite }

  const move: Move = {
    team: promotable.team,
    app: promotable.app,
    act: 'promote',
    environment: stage.environment,
  }
  const current = await currentOf(options, promotable, move, paths)
  if (!current.ok) return current
  const isReady = decided.value.kind === 'ready_to_confirm'
  const onMain = promotable.application.overlays.get(stage)?.image ?? null
  const chosen = isReady ? onMain : imageFor(wish, current.value)
  return ok({
    ...admitted,
    target,
    isReady,
    proposal: {
      repository: options.repository,
      move,
      base: { branch: subject.branch, commit: subject.commit },
      files: (texts) => overlayFiles(wish, texts),
      paths,
      ...describe(asking, request, wish, move, secrets),
      author: authorOf(asking.principal),
    },
    secrets,
    image: {
      name: base.image,
      image: chosen,
      carriedFrom:
        carried !== null && image?.tag === undefined && isSameImage(chosen, carried)
          ? (previous?.environment ?? null)
          : null,
    },
    stage,
    warnings: isReady
      ? readyWarnings(request)
      : warningsOf({ image: chosen, host: config.ingress?.host, claims: claims.value }),
  })
}

const isSameImage = (one: Image | null, other: Image): boolean =>
  one?.tag === other.tag && one.digest === other.digest

/** What the open pull request of a move has of some files. */
async function currentOf(
  { gitHost, repository }: PromoteOptions,
  { pulls }: Admitted['promotable'],
  move: Move,
  paths: ProposalRequest['paths'],
): Promise<Result<ReadonlyMap<RepositoryPath, string>, GitFailure>> {
  const open = pulls.find(
    (each) =>
      each.pull.state === 'open' &&
      each.move.act === move.act &&
      each.move.environment === move.environment,
  )
  return open === undefined
    ? ok(new Map())
    : currentTexts(gitHost, repository, open.pull.head, paths)
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

const claimedElsewhere = (
  claims: readonly HostClaim[],
  host: string | undefined,
  paths: readonly string[],
): HostClaim | undefined =>
  claims.find((claim) => claim.host === host && !paths.includes(claim.path))

function describe(
  { principal }: Asking,
  { message = '' }: PromotionRequest,
  { promotable: { team, app }, stage }: OverlayWish,
  move: Move,
  secrets: SecretsRequest | null,
) {
  const { environment, lifecycle } = stage
  const keys = Object.keys(secrets?.values ?? {}).toSorted()
  const lines = [
    `Takes **${team}/${app}** to ${environment} (lifecycle ${lifecycle}), asked for by ${plain(principal.name)}.`,
    '',
    ...(message === '' ? [] : [...quoted(message), '']),
    ...(keys.length === 0
      ? []
      : [`Secrets at \`${secrets?.path}\`: ${keys.map((key) => `\`${key}\``).join(', ')}`, '']),
    'After it is merged the promotion waits for its confirmation in the portal.',
    '',
    trailerOf(move),
  ]
  return {
    title: `[Promote] ${team}/${app} → ${environment}`,
    message: `promote: ${team}/${app} to ${environment}\n`,
    body: `${lines.join('\n')}\n`,
  }
}

/** Does what was drafted: secrets, branch, pull request. Each is found again when it is asked for again. */
export async function promote(
  options: PromoteOptions,
  asking: Asking,
  request: PromotionRequest,
): Promise<Result<Promoted, PromoteFailure>> {
  const drafted = await draft(options, asking, request)
  if (!drafted.ok) return drafted
  const { secrets, proposal, trail, target, isReady } = drafted.value
  if (isReady) {
    const noted = await trail.allowed({ target })
    return noted.ok ? ok({ ...drafted.value, proposed: null, entry: null }) : noted
  }
  if (secrets !== null) {
    const free = await options.secrets.check(secrets)
    if (!free.ok) {
      await trail.denied(free.error.kind, { target })
      return free
    }
  }
  const keys = Object.keys(secrets?.values ?? {})
  const started = await trail.started({
    target,
    secretPath: secrets?.path ?? null,
    secretKeys: keys,
  })
  if (!started.ok) return started
  const outcome = await effects(options, proposal, secrets)
  if (!outcome.ok) {
    await trail.failed(outcome.error.kind)
    return outcome
  }
  const { proposed, entry } = outcome.value
  const { pullRequest, created, updated, commit } = proposed
  const done = await trail.done({
    target,
    pullRequest: pullRequest.number,
    created,
    updated,
    commit,
  })
  if (!done.ok) return done
  const warnings = [...drafted.value.warnings, ...conflictWarnings(pullRequest)]
  return ok({ ...drafted.value, warnings, proposed, entry })
}

async function effects(
  { gitHost, secrets: store, inTurn }: PromoteOptions,
  proposal: ProposalRequest,
  secrets: SecretsRequest | null,
): Promise<
  Result<
    { readonly proposed: Proposed; readonly entry: PresentEntry | null },
    SecretsFailure | ProposeFailure
  >
> {
  const written = secrets === null ? ok(null) : await store.write(secrets)
  if (!written.ok) return written
  const { team, app } = proposal.move
  const proposed = await inTurn(`${team}/${app}`, () => propose(gitHost, proposal))
  return proposed.ok ? ok({ proposed: proposed.value, entry: written.value }) : proposed
}

/** What the pull request would contain, byte for byte. */
export async function preview(
  options: PromoteOptions,
  asking: Asking,
  request: PromotionRequest,
): Promise<Result<PromotionPreview, PromoteFailure>> {
  const drafted = await draft(options, asking, request)
  if (!drafted.ok) return drafted
  const { proposal, secrets, isReady, trail, target } = drafted.value
  const { repository, base, move, paths, files } = proposal
  const free = secrets === null || isReady ? ok(undefined) : await options.secrets.check(secrets)
  if (!free.ok) {
    await trail.denied(free.error.kind, { target, dryRun: true })
    return free
  }
  const noted = await trail.allowed({ target, dryRun: true })
  if (!noted.ok) return noted
  if (isReady) return ok({ ...drafted.value, secrets: null, files: [] })
  const [onMain, current] = await Promise.all([
    currentTexts(options.gitHost, repository, base, paths),
    currentOf(options, drafted.value.promotable, move, paths),
  ])
  if (!onMain.ok) return onMain
  if (!current.ok) return current
  return ok({ ...drafted.value, files: previewOf(files(current.value), onMain.value) })
}
