import { type RepositoryId, RepositoryPath } from '../../names.ts'
import type { GitFailure, GitHost } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import type { FieldError } from '../../schema/field-error.ts'
import {
  databaseOf,
  type Image,
  isUntagged,
  OVERLAY_BYTES_MAX,
  type OverlayConfig,
  PATCH_FILE,
} from '../gitops/overlay.ts'
import type { Applications } from './application.ts'
import { promotionTitle } from './describe.ts'
import type { Admission } from './gate.ts'
import {
  type Claim,
  conflictingClaim,
  NO_CLAIMS,
  type OverlayClaim,
  type OverlayClaims,
} from './overlay-claims.ts'
import type { AppsReader } from './overview/apps-reader.ts'
import { findRival, type RivalFailure } from './rival.ts'
import { configIn } from './manifests.ts'
import {
  type OverlayRequest,
  overlayProposal,
  overlayQuery,
  overlayRequestOf,
} from './overlay-request.ts'
import type { Pipeline, Stage } from './pipeline.ts'
import type { Plan } from './plan.ts'
import {
  type MoveQuery,
  type MoveStanding,
  type ProposalRequest,
  readMoveStanding,
} from './propose.ts'
import { resourceFaults } from './quantity.ts'
import {
  imageFor,
  namesOverlay,
  overlayFiles,
  type OverlayNotEditable,
  overlayPaths,
  type OverlaySpec,
} from './render.ts'
import { requestedImage } from './requested-image.ts'
import type { PromotionRequest } from './request.ts'
import type { CheckedSecrets, Secrets, SecretsFailure } from './secrets.ts'
import type { EntityRequest, Promotable } from './subject.ts'
import { folderTexts, type Texts } from './texts.ts'
import { readyWarnings, releaseWarnings, warningsOf } from './warnings.ts'

export interface OverlayPlanOptions {
  readonly gitHost: GitHost
  readonly repository: RepositoryId
  readonly pipeline: Pipeline
  readonly apps: AppsReader
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
  | { readonly kind: 'nothing_to_change'; readonly environment: string }
  | OverlayNotEditable
  | RivalFailure
  | SecretsFailure
  | GitFailure

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
  const read = await readFacts(options, admission, asked, query, live !== null)
  if (!read.ok) return read
  const facts = read.value
  const spec = { ...asked.spec, live: live && { ...live, texts: facts.onMain } }
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

/** Everything that the checks of a request need, read at the commit of the decision. */
interface Facts extends MoveStanding {
  /** The overlay that a release changes. */
  readonly onMain: Texts
  readonly claims: OverlayClaims
  readonly secrets: CheckedSecrets | null
}

async function readFacts(
  options: OverlayPlanOptions,
  { subject: { commit }, promotable }: Admission,
  { spec, secrets }: OverlayRequest,
  query: MoveQuery,
  isRelease: boolean,
): Promise<Result<Facts, OverlayPlanFailure>> {
  const { gitHost, repository } = options
  const { stage, config, base } = spec
  const mayClaim =
    config.ingress?.host !== undefined ||
    config.database !== undefined ||
    (base.database && !isRelease)
  const [rival, claims, onMain, found, checked] = await Promise.all([
    findRival(options, commit, promotable, stage),
    mayClaim ? options.apps.read(commit) : ok(NO_CLAIMS),
    isRelease
      ? folderTexts(gitHost, repository, commit, folderOf(query), OVERLAY_BYTES_MAX)
      : ok(new Map<RepositoryPath, string>()),
    readMoveStanding(gitHost, query, promotable.pulls),
    secrets === null ? ok(null) : options.secrets.check(secrets),
  ])
  if (!rival.ok) return rival
  if (!claims.ok) return claims
  if (!onMain.ok) return onMain
  if (!found.ok) return found
  if (!checked.ok) return checked
  return ok({
    ...found.value,
    onMain: onMain.value,
    claims: claims.value,
    secrets: checked.value,
  })
}

const folderOf = ({ paths }: MoveQuery): RepositoryPath =>
  RepositoryPath.of(paths[0]?.replace(/\/[^/]+$/, '') ?? '')

/** The settings of the overlay that exists, on the branch before the default branch. */
function settingsThere(spec: OverlaySpec, { current, onMain }: Facts): OverlayConfig {
  const path = overlayPaths(spec).find((each) => each.endsWith(`/${PATCH_FILE}`))
  return path === undefined ? {} : configIn(current.get(path) ?? onMain.get(path))
}

/** A release is not refused for resources that it does not name. */
function valueFaults(spec: OverlaySpec, facts: Facts): readonly FieldError[] {
  const { base, config, live } = spec
  if (live !== null && config.resources === undefined) return []
  return resourceFaults(config.resources, settingsThere(spec, facts).resources, base.resources)
}

function wantedBy(spec: OverlaySpec, facts: Facts): readonly Claim[] {
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
  { standing, current, onMain, claims, secrets, warnings: found }: Facts,
): Result<Plan, OverlayPlanFailure> {
  const { stage, live, config } = spec
  const files = overlayFiles(spec, current)
  if (!files.ok) return files
  const isRelease = live !== null
  const isOpen = standing.kind === 'open'
  const changes = files.value.some(
    ({ path, bytes }) => (current.get(path) ?? onMain.get(path)) !== decoder.decode(bytes),
  )
  // A release that asks again for what its pull request has finds the pull request.
  const isProposed = !isRelease || changes || (isOpen && namesOverlay(spec))
  if (!isProposed && secrets === null) {
    return err({ kind: 'nothing_to_change', environment: stage.environment })
  }
  const image = imageFor(spec, current)
  const host = config.ingress?.host
  return ok({
    kind: isRelease ? 'release' : 'promotion',
    change: isProposed ? { proposal, standing, files: files.value } : null,
    secrets,
    title: proposal.title,
    image: { name: spec.base.image, image, carriedFrom: carriedFrom(spec, image) },
    stage,
    warnings: [
      ...warningsOf({ image, host, ...claims, pipeline }),
      ...found,
      ...releaseWarnings(isRelease && secrets !== null),
    ],
  })
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The environment that the image came from, by request or by default. */
function carriedFrom(spec: OverlaySpec, image: Image | null): string | null {
  const { carried, live } = spec
  if (spec.image !== null) return spec.imageFrom
  if (live !== null || isUntagged(carried)) return null
  return image?.tag === carried?.tag && image?.digest === carried?.digest ? spec.carriedFrom : null
}
