import type { ObjectId } from '../../../names.ts'
import { err, ok, type Result } from '../../../result.ts'
import { type Image, isUntagged } from '../../gitops/overlay.ts'
import type { WrittenFile } from '../../../ports/git-host.ts'
import type { MoveDecision } from '../decide.ts'
import { promotionTitle } from '../describe.ts'
import type { Admission } from '../exclusive-request.ts'
import type { DepsOfActor } from '../dependencies.ts'
import type { Stage } from '../pipeline.ts'
import type { Plan } from '../plan.ts'
import type { Proposal, Target } from '../proposal.ts'
import type { PromotionRequest } from '../request.ts'
import type { EntityRequest, Promotable } from '../subject.ts'
import { changedIn, type Texts } from '../texts.ts'
import {
  claimWarnings,
  imageWarnings,
  secretPathWarnings,
  unchangedWarnings,
  warningIf,
} from '../warnings.ts'
import { checkOverlay, type OverlayCheckFailure, patchThere } from './checks.ts'
import { secretPathIn } from './manifests.ts'
import {
  type OverlayFacts,
  type OverlayFactsFailure,
  type PullRequestOutdated,
  readOverlayFacts,
} from './facts.ts'
import { overlayMove, overlayProposal, overlaySpecOf } from './request.ts'
import {
  imageFor,
  namesOverlay,
  overlayFiles,
  type OverlayNotEditable,
  type OverlaySpec,
  textsThere,
} from './render.ts'

export type OverlayPlanFailure =
  | {
      readonly kind: 'not_promotable'
      readonly reason: 'base_unusable'
      /** The first thing that the base lacks, for people. */
      readonly missing: string
    }
  | OverlayCheckFailure
  | { readonly kind: 'nothing_to_change'; readonly environment: string }
  | OverlayNotEditable
  | OverlayFactsFailure

/** The overlay of a stage as requested, its values checked against the application and against other applications. */
export async function planOverlay(
  deps: DepsOfActor,
  entityRequest: EntityRequest,
  request: PromotionRequest,
  admission: Admission,
  { kind, stage }: Exclude<MoveDecision, { kind: 'deprecate' }>,
): Promise<Result<Plan, OverlayPlanFailure>> {
  const { pipeline, repository } = deps
  const { promotable } = admission
  if (kind === 'ready_to_confirm') return ok(planConfirmation(request, promotable, stage))
  const { base, overlays } = promotable.application
  if (!base.ok) {
    return err({ kind: 'not_promotable', reason: 'base_unusable', missing: base.error })
  }
  const asked = overlaySpecOf(pipeline, request, promotable, stage, base.value)
  if (!asked.ok) return err({ kind: 'validation_failed', errors: [asked.error] })
  const live = kind === 'release' ? (overlays.get(stage) ?? null) : null
  const move = overlayMove(repository, admission, stage, live)
  const read = await readOverlayFacts(deps, admission, asked.value, move, live !== null)
  if (!read.ok) return read
  const facts = read.value
  const spec = {
    ...asked.value,
    live: live && { ...live, texts: facts.onMain, merged: facts.merged?.texts ?? null },
  }
  const checked = checkOverlay(spec, facts)
  if (!checked.ok) return checked
  const proposal = overlayProposal(pipeline, move, entityRequest, request, spec)
  return planChange(deps, request, spec, proposal, facts)
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
    target: stage.lifecycle,
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
    warnings: unchangedWarnings(
      request.overlayConfig,
      'the overlay is there already, and nothing of overlayConfig is applied to it',
    ),
  }
}

function planChange(
  { pipeline }: DepsOfActor,
  { targetLifecycle: target }: PromotionRequest,
  spec: OverlaySpec,
  proposal: Omit<Proposal, 'changes'>,
  facts: OverlayFacts,
): Result<Plan, OverlayPlanFailure> {
  const { stage, live, config } = spec
  const { claims, secrets } = facts
  const texts = facts.merged?.texts ?? facts.current
  const rendered = overlayFiles(spec, texts)
  if (!rendered.ok) return rendered
  const files = rendered.value
  const isRelease = live !== null
  const isOpen = facts.target.pull !== null
  const commit = commitOf(facts, proposal.base.commit, files)
  if (!commit.ok) return commit
  // A branch in the place of the conflicting one has no conflict.
  const found = facts.warnings.filter(
    ({ code }) => code !== 'conflicting' || commit.value.to.from.kind !== 'replace',
  )
  // A release that asks again for what its pull request has finds the pull request.
  const isProposed =
    !isRelease || !isIn(textsThere(spec, texts), files) || (isOpen && namesOverlay(spec))
  if (!isProposed && secrets === null) {
    return err({ kind: 'nothing_to_change', environment: stage.environment })
  }
  // Commits of others may propose more.
  const isForeign = found.some(({ code }) => code === 'foreign_commits')
  const isEmpty = isRelease && isProposed && isOpen && !isForeign && isIn(live.texts, files)
  const image = imageFor(spec, texts)
  return ok({
    kind: isRelease ? 'release' : 'promotion',
    target,
    change: isProposed
      ? { proposal: { ...proposal, changes: commit.value.changes }, to: commit.value.to, files }
      : null,
    secrets,
    title: proposal.title,
    image: { name: spec.base.image, image, carriedFrom: carriedFrom(spec, image) },
    stage,
    warnings: [
      ...imageWarnings(image, pipeline),
      ...claimWarnings(config.ingress?.host, claims),
      ...found,
      ...warningIf(isEmpty, 'nothing_left'),
      ...warningIf(isRelease && secrets !== null, 'secrets_at_once'),
      ...secretPathWarnings(secrets?.path, secretPathIn(patchThere(spec, facts))),
    ],
  })
}

/**
 * The commit that makes a merge of the branch have these files. Where the default branch has changed the same files since the pull
 * request began, it takes the place of the branch, unless others have changed something there.
 */
function commitOf(
  { target: to, current, merged, onMain }: OverlayFacts,
  parent: ObjectId,
  files: readonly WrittenFile[],
): Result<{ to: Target; changes: readonly WrittenFile[] }, PullRequestOutdated> {
  const { pull, from } = to
  if (pull === null || from.kind === 'create') return ok({ to, changes: files })
  const changes = changedIn(merged?.texts ?? current, files)
  const overtaken = merged?.isConflicting
    ? files[0]
    : changes.find(({ path }) => merged && merged.texts.get(path) !== current.get(path))
  if (overtaken === undefined) return ok({ to, changes })
  if (!merged?.isOwn || isIn(onMain, files)) {
    return err({ kind: 'pr_outdated', pullRequest: pull.number, path: overtaken.path })
  }
  const replacing = { kind: 'replace', expected: from.expected, parent } as const
  return ok({ to: { ...to, from: replacing }, changes: files })
}

const isIn = (texts: Texts, files: readonly WrittenFile[]): boolean =>
  changedIn(texts, files).length === 0

/** The environment that the image came from, by request or by default. */
function carriedFrom(spec: OverlaySpec, image: Image | null): string | null {
  const { carried, live } = spec
  if (spec.image !== null) return spec.imageFrom
  if (live !== null || isUntagged(carried)) return null
  return image?.tag === carried?.tag && image?.digest === carried?.digest ? spec.carriedFrom : null
}
