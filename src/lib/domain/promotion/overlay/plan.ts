import { type ObjectId, RepositoryPath, secretPath } from '../../../names.ts'
import type { WrittenFile } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { Principal } from '../../access/principal.ts'
import { plain, quoted } from '../../gitops/free-text.ts'
import type { FieldError } from '../../../schema/field-error.ts'
import {
  type Base,
  isUntagged,
  KUSTOMIZATION_FILE,
  overlayFolder,
  PATCH_FILE,
} from '../../gitops/overlay.ts'
import type { MoveDecision } from '../decide.ts'
import type { DepsOfActor } from '../dependencies.ts'
import type { Admission } from '../exclusive-request.ts'
import type { MoveFailure } from '../failure.ts'
import { type Move, moveTo, textsOf } from '../move.ts'
import type { Pipeline, Stage } from '../pipeline.ts'
import type { Plan } from '../plan.ts'
import type { Proposal } from '../proposal.ts'
import { namesOf } from '../request-audit.ts'
import type { PromotionRequest } from '../request.ts'
import type { Promotable } from '../subject.ts'
import { changedIn, type Texts } from '../texts.ts'
import {
  claimWarnings,
  imageWarnings,
  secretPathWarnings,
  unchangedWarnings,
  warningIf,
} from '../warnings.ts'
import { checkOverlay } from './checks.ts'
import { type ImageChoice, type OverlayFacts, type OverlaySpec, readOverlayFacts } from './facts.ts'
import { imageFor, imageNameFor, namesOverlay, overlayFiles } from './render.ts'

/** The overlay of a stage as requested, its values checked against the application and against other applications. */
export async function planOverlay(
  deps: DepsOfActor,
  request: PromotionRequest,
  admission: Admission,
  { kind, stage }: Exclude<MoveDecision, { kind: 'deprecate' }>,
): Promise<Result<Plan, MoveFailure>> {
  const { pipeline } = deps
  const { promotable } = admission
  if (kind === 'ready_to_confirm') return ok(planConfirmation(request, promotable, stage))
  const { base } = promotable.application
  if (!base.ok) {
    return err({ kind: 'not_promotable', reason: 'base_unusable', missing: base.error })
  }
  const asked = overlaySpecOf(pipeline, request, promotable, { kind, stage }, base.value)
  if (!asked.ok) return err({ kind: 'validation_failed', errors: [asked.error] })
  const spec = asked.value
  const facts = await readOverlayFacts(deps, admission, spec)
  if (!facts.ok) return facts
  const checked = checkOverlay(spec, facts.value)
  if (!checked.ok) return checked
  return planChange(deps, admission, request, spec, facts.value)
}

/** A promotion request in terms of one overlay. */
function overlaySpecOf(
  pipeline: Pipeline,
  request: PromotionRequest,
  promotable: Promotable,
  { kind, stage }: MoveDecision & { readonly stage: Stage },
  base: Base,
): Result<OverlaySpec, FieldError> {
  const {
    secrets: values = {},
    overwriteSecrets: overwrite = false,
    image: { tag = null, digest = null, from } = {},
    ...config
  } = request.overlayConfig ?? {}
  const { team, app, application } = promotable
  const { overlays } = application
  const imageIn = (source: Stage | undefined): ImageChoice | null => {
    const image = (source && overlays.get(source)?.image) ?? null
    return source === undefined || isUntagged(image) ? null : { image, from: source.environment }
  }
  const own = isUntagged({ tag, digest }) ? null : { image: { tag, digest }, from: null }
  const requested = from === undefined ? own : imageIn(pipeline.stageIn(from))
  if (from !== undefined && requested === null) return err(NOTHING_RUNS)
  const previous = pipeline.stageBefore(stage)
  const before = previous && overlays.get(previous)
  const namespace = base.namespace ?? before?.namespace ?? null
  const path = secretPath(team, app, stage.environment)
  const live = kind === 'release' ? overlays.get(stage) : undefined
  const folder = overlayFolder(team, app, live?.folder ?? stage.folders[0])
  return ok({
    move: moveTo(promotable, stage),
    promotable,
    base,
    stage,
    namespace: namespace === null ? null : pipeline.namespaceIn(stage, namespace),
    config,
    requested,
    carried: imageIn(previous),
    newName: (live ?? before)?.newName ?? null,
    secrets: Object.keys(values).length === 0 ? null : { path, values, overwrite },
    kind: live === undefined ? 'promotion' : 'release',
    folder,
    kustomization: RepositoryPath.of(`${folder}/${live?.kustomization ?? KUSTOMIZATION_FILE}`),
    patch: RepositoryPath.of(`${folder}/${PATCH_FILE}`),
  })
}

const NOTHING_RUNS = {
  path: '/overlayConfig/image/from',
  rule: 'nothing_runs',
  message: 'must be an environment that runs an image of the application, such as dev',
} as const

/** Needs the overlay alone: a base that Portico cannot read may well be one that kustomize builds. */
function planConfirmation(
  request: PromotionRequest,
  { team, app, application }: Promotable,
  stage: Stage,
): Plan {
  const { base, overlays } = application
  const { image = null, newName = null } = overlays.get(stage) ?? {}
  return {
    kind: 'promotion',
    change: null,
    secrets: null,
    title: promotionTitle({ team, app, environment: stage.environment }),
    image: base.ok ? { name: newName ?? base.value.image, image, carriedFrom: null } : null,
    stage,
    warnings: unchangedWarnings(
      request.overlayConfig,
      'the overlay is there already, and nothing of overlayConfig is applied to it',
    ),
  }
}

function planChange(
  { pipeline }: DepsOfActor,
  { principal, subject: base }: Admission,
  { message = '' }: PromotionRequest,
  spec: OverlaySpec,
  facts: OverlayFacts,
): Result<Plan, MoveFailure> {
  const { kind, stage, config, promotable, move } = spec
  const { claims, secrets, texts, onMain } = facts
  const rendered = overlayFiles(spec, facts)
  if (!rendered.ok) return rendered
  const files = rendered.value
  const isRelease = kind === 'release'
  const { branch, pull } = facts
  const isOpen = pull !== null
  const commit = commitOf(facts, base.commit, files)
  if (!commit.ok) return commit
  // A branch in the place of the conflicting one has no conflict.
  const found = facts.warnings.filter(
    ({ code }) => code !== 'conflicting' || commit.value.from.kind !== 'replace',
  )
  // A release that asks again for what its pull request has finds the pull request.
  const isProposed = !isRelease || !isIn(texts, files) || (isOpen && namesOverlay(spec))
  if (!isProposed && secrets === null) {
    return err({ kind: 'nothing_to_change', environment: stage.environment })
  }
  // Commits of others may propose more.
  const isForeign = found.some(({ code }) => code === 'foreign_commits')
  const isEmpty = isRelease && isProposed && isOpen && !isForeign && isIn(onMain, files)
  const { image, from: carriedFrom } = imageFor(spec, facts)
  const needsConfirmation = !pipeline.hasReached(promotable.lifecycle, stage)
  const described = { kind, principal, move, stage, needsConfirmation, message, secrets } as const
  const description = describePromotion(described)
  return ok({
    kind,
    change: isProposed
      ? { move, base, branch, pull, files, ...commit.value, ...description, askedBy: principal }
      : null,
    secrets,
    title: description.title,
    image: { name: imageNameFor(spec, facts), image, carriedFrom },
    stage,
    warnings: [
      ...imageWarnings(image, pipeline),
      ...claimWarnings(config.ingress?.host, claims),
      ...found,
      ...warningIf(isEmpty, 'nothing_left'),
      ...warningIf(isRelease && secrets !== null, 'secrets_at_once'),
      ...secretPathWarnings(secrets?.path, facts.there.secretPath),
    ],
  })
}

/**
 * The commit that makes a merge of the branch have these files. Where the default branch has changed the same files since the pull
 * request began, it takes the place of the branch, unless others have changed something there.
 */
function commitOf(
  { pull, from, current, merged, onMain }: OverlayFacts,
  parent: ObjectId,
  files: readonly WrittenFile[],
): Result<Pick<Proposal, 'from' | 'changes'>, MoveFailure> {
  if (pull === null || from.kind === 'create') return ok({ from, changes: files })
  const changes = changedIn(merged?.texts ?? current, files)
  const overtaken = merged?.isConflicting
    ? files[0]
    : changes.find(({ path }) => merged && merged.texts.get(path) !== current.get(path))
  if (overtaken === undefined) return ok({ from, changes })
  if (!merged?.isOwn || isIn(onMain, files)) {
    return err({ kind: 'pr_outdated', pullRequest: pull.number, path: overtaken.path })
  }
  return ok({ from: { kind: 'replace', expected: from.expected, parent }, changes: files })
}

const isIn = (texts: Texts, files: readonly WrittenFile[]): boolean =>
  changedIn(texts, files).length === 0

interface Described extends Pick<OverlaySpec, 'kind' | 'move' | 'secrets'> {
  readonly principal: Pick<Principal, 'name'>
  readonly stage: Pick<Stage, 'environment' | 'lifecycle'>
  /** Whether the lifecycle follows the merge by a confirmation. It has reached the environment of a release, and one that was added later. */
  readonly needsConfirmation: boolean
  /** Free text for the reviewer. */
  readonly message: string
}

const promotionTitle = ({ team, app, environment }: Omit<Move, 'act'>): string =>
  `[Promote] ${team}/${app} → ${environment}`

/** The texts of a promotion's pull request. */
export function describePromotion(promotion: Described) {
  const { kind, principal, move, stage, needsConfirmation, message, secrets } = promotion
  const isRelease = kind === 'release'
  const { team, app } = move
  const { environment, lifecycle } = stage
  const { secretPath, secretKeys = [] } = namesOf(secrets) ?? {}
  const lines = [
    isRelease
      ? `Changes **${team}/${app}** in ${environment}, where it is live, asked for by ${plain(principal.name)}.`
      : `Takes **${team}/${app}** to ${environment}${needsConfirmation ? ` (lifecycle ${lifecycle})` : ''}, asked for by ${plain(principal.name)}.`,
    '',
    ...(message === '' ? [] : [...quoted(message), '']),
    ...(secretKeys.length === 0
      ? []
      : [`Secrets at \`${secretPath}\`: ${secretKeys.map((key) => `\`${key}\``).join(', ')}`, '']),
    needsConfirmation
      ? 'After it is merged the promotion waits for its confirmation in the portal.'
      : 'It is live once it is merged; there is nothing to confirm.',
  ]
  const summary = isRelease
    ? `release: ${team}/${app} in ${environment}`
    : `promote: ${team}/${app} to ${environment}`
  return textsOf(move, { title: promotionTitle(move), summary, lines })
}
