import { err, ok, type Result } from '../../../result.ts'
import type { FieldError } from '../../../schema/field-error.ts'
import { decodeUtf8Exactly } from '../../../text/utf8.ts'
import {
  databaseOf,
  type Image,
  isUntagged,
  type OverlayConfig,
  PATCH_FILE,
} from '../../gitops/overlay.ts'
import type { WrittenFile } from '../../gitops/proposed-branch.ts'
import { promotionTitle } from '../describe.ts'
import type { Admission } from '../gate.ts'
import { configIn, secretPathIn } from './manifests.ts'
import { type Claim, conflictingClaim, type OverlayClaim } from './claims.ts'
import {
  type OverlayFacts,
  type OverlayFactsFailure,
  type OverlayFactsSource,
  readOverlayFacts,
} from './facts.ts'
import { overlayProposal, overlayQuery, overlayRequestOf } from './request.ts'
import { overtaken, type PullRequestOutdated } from './overtaken.ts'
import type { Stage } from '../pipeline.ts'
import type { Plan } from '../plan.ts'
import type { ProposalRequest } from '../propose.ts'
import { resourceFaults } from '../quantity.ts'
import {
  imageFor,
  namesOverlay,
  overlayFiles,
  type OverlayNotEditable,
  overlayPaths,
  type OverlaySpec,
  textsThere,
} from './render.ts'
import { requestedImage } from './requested-image.ts'
import type { PromotionRequest } from '../request.ts'
import type { EntityRequest, Promotable } from '../subject.ts'
import type { Texts } from '../texts.ts'
import {
  CONFLICTING,
  emptyWarnings,
  readyWarnings,
  releaseWarnings,
  secretPathWarnings,
  warningsOf,
} from '../warnings.ts'

export type OverlayPlanOptions = OverlayFactsSource

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
  | { readonly kind: 'nothing_to_change'; readonly environment: string }
  | OverlayNotEditable
  | PullRequestOutdated
  | OverlayFactsFailure

/** The overlay of a stage as requested, its values checked against the application and against other applications. */
export async function planOverlay(
  options: OverlayPlanOptions,
  entityRequest: EntityRequest,
  request: PromotionRequest,
  admission: Admission,
  { kind, stage }: OverlayMove,
): Promise<Result<Plan, OverlayPlanFailure>> {
  const { promotable } = admission
  if (kind === 'ready_to_confirm') return ok(planConfirmation(request, promotable, stage))
  const { base, overlays } = promotable.application
  if (!base.ok) {
    return err({ kind: 'not_promotable', reason: 'base_unusable', missing: base.error })
  }
  const image = requestedImage(options.pipeline, request, promotable)
  if (!image.ok) return err({ kind: 'validation_failed', errors: [image.error] })
  const asked = overlayRequestOf(
    options.pipeline,
    request,
    promotable,
    stage,
    base.value,
    image.value,
  )
  const live = kind === 'release' ? (overlays.get(stage) ?? null) : null
  const query = overlayQuery(options.repository, admission, stage, live)
  const read = await readOverlayFacts(options, admission, asked, query, live !== null)
  if (!read.ok) return read
  const facts = read.value
  const spec = { ...asked.spec, live: live && { ...live, texts: facts.onMain, began: facts.began } }
  const faults = valueFaults(spec, facts)
  if (faults.length > 0) return err({ kind: 'validation_failed', errors: faults })
  for (const each of wantedBy(spec, facts)) {
    const claim = conflictingClaim(facts.claims.claims, each, promotable, stage)
    if (claim !== undefined) return err(takenBy(claim))
  }
  const proposal = overlayProposal(query, entityRequest, request, spec, asked.secrets)
  return planChange(options, spec, proposal, facts)
}

interface OverlayMove {
  readonly kind: 'propose' | 'ready_to_confirm' | 'release'
  readonly stage: Stage
}

/** Needs the overlay alone: a base that Portico cannot read may well be one that kustomize builds. */
function planConfirmation(
  request: PromotionRequest,
  { team, app, application }: Promotable,
  stage: Stage,
): Plan {
  const { base, overlays } = application
  return {
    kind: 'promotion',
    change: null,
    secrets: null,
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

/** The patch of the overlay that exists. */
function patchThere(spec: OverlaySpec, { current }: OverlayFacts): string | undefined {
  const path = overlayPaths(spec).find((each) => each.endsWith(`/${PATCH_FILE}`))
  return path && textsThere(spec, current).get(path)
}

const settingsThere = (spec: OverlaySpec, facts: OverlayFacts): OverlayConfig =>
  configIn(patchThere(spec, facts))

/** A release is not refused for resources that it does not name. */
function valueFaults(spec: OverlaySpec, facts: OverlayFacts): readonly FieldError[] {
  const { base, config, live } = spec
  if (live !== null && config.resources === undefined) return []
  return resourceFaults(config.resources, settingsThere(spec, facts).resources, base.resources)
}

function wantedBy(spec: OverlaySpec, facts: OverlayFacts): readonly Claim[] {
  const { promotable, stage, base, config, live } = spec
  const host = config.ingress?.host
  const there = settingsThere(spec, facts).database
  const wanted = config.database ?? (live === null ? there : undefined)
  const isWanted = wanted !== undefined || live === null
  const name = wanted?.name ?? there?.name
  const database = isWanted
    ? databaseOf({
        app: promotable.app,
        environment: stage.environment,
        base,
        config: wanted === undefined ? {} : { database: { ...wanted, ...(name && { name }) } },
      })
    : undefined
  return [
    ...(host === undefined ? [] : [{ kind: 'host', name: host } as const]),
    ...(database === undefined ? [] : [{ kind: 'database', name: database.name } as const]),
  ]
}

const takenBy = ({ kind, name, path }: OverlayClaim) =>
  kind === 'host'
    ? ({ kind: 'host_taken', claimedBy: path } as const)
    : ({ kind: 'database_taken', name, claimedBy: path } as const)

function planChange(
  { pipeline }: OverlayPlanOptions,
  spec: OverlaySpec,
  proposal: ProposalRequest,
  facts: OverlayFacts,
): Result<Plan, OverlayPlanFailure> {
  const { stage, live, config } = spec
  const { standing, current, began, claims, secrets, warnings: found } = facts
  const files = overlayFiles(spec, current)
  if (!files.ok) return files
  const isRelease = live !== null
  const isOpen = standing.kind === 'open'
  const { lost, isConflicting } = overtaken(spec)
  if (isOpen && lost !== undefined) {
    return err({ kind: 'pr_outdated', pullRequest: standing.pull.number, path: lost })
  }
  const isEmpty = isRelease && isOpen && isIn(live.began ?? live.texts, files.value)
  const changes = !isIn(textsThere(spec, current), files.value)
  // A release that asks again for what its pull request has finds the pull request.
  const isProposed = !isRelease || changes || (isOpen && namesOverlay(spec))
  if (!isProposed && secrets === null) {
    return err({ kind: 'nothing_to_change', environment: stage.environment })
  }
  const image = imageFor(spec, current)
  const host = config.ingress?.host
  return ok({
    kind: isRelease ? 'release' : 'promotion',
    change: isProposed ? { proposal, standing, began, files: files.value } : null,
    secrets,
    title: proposal.title,
    image: { name: spec.base.image, image, carriedFrom: carriedFrom(spec, image) },
    stage,
    warnings: [
      ...warningsOf({ image, host, ...claims, pipeline }),
      ...found,
      ...(isConflicting && found.every(({ code }) => code !== 'conflicting') ? CONFLICTING : []),
      ...emptyWarnings(isProposed && isEmpty, found),
      ...releaseWarnings(isRelease && secrets !== null),
      ...secretPathWarnings(secrets?.path, secretPathIn(patchThere(spec, facts))),
    ],
  })
}

const isIn = (texts: Texts, files: readonly WrittenFile[]): boolean =>
  files.every(({ path, bytes }) => texts.get(path) === decodeUtf8Exactly(bytes))

/** The environment that the image came from, by request or by default. */
function carriedFrom(spec: OverlaySpec, image: Image | null): string | null {
  const { carried, live } = spec
  if (spec.image !== null) return spec.imageFrom
  if (live !== null || isUntagged(carried)) return null
  return image?.tag === carried?.tag && image?.digest === carried?.digest ? spec.carriedFrom : null
}
