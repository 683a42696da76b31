import type { RepositoryPath } from '../../../names.ts'
import { err, ok, type Result } from '../../../result.ts'
import { decodeUtf8Exactly } from '../../../text/utf8.ts'
import { type Image, isUntagged } from '../../gitops/overlay.ts'
import type { WrittenFile } from '../../gitops/proposed-branch.ts'
import { promotionTitle } from '../describe.ts'
import type { Admission } from '../gate.ts'
import type { Stage } from '../pipeline.ts'
import type { Plan } from '../plan.ts'
import type { ProposalRequest } from '../propose.ts'
import type { PromotionRequest } from '../request.ts'
import type { EntityRequest, Promotable } from '../subject.ts'
import type { Texts } from '../texts.ts'
import {
  emptyWarnings,
  readyWarnings,
  releaseWarnings,
  secretPathWarnings,
  warningsOf,
} from '../warnings.ts'
import { checkOverlay, type OverlayCheckFailure, patchThere } from './checks.ts'
import { secretPathIn } from './manifests.ts'
import {
  type OverlayFacts,
  type OverlayFactsFailure,
  type OverlayFactsSource,
  readOverlayFacts,
} from './facts.ts'
import { overlayProposal, overlayQuery, overlayRequestOf } from './request.ts'
import { mergedText } from './merged-release.ts'
import {
  imageFor,
  namesOverlay,
  overlayFiles,
  type OverlayNotEditable,
  type OverlaySpec,
  textsThere,
} from './render.ts'
import { requestedImage } from './requested-image.ts'

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
  options: OverlayFactsSource,
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
  const spec = {
    ...asked.spec,
    live: live && { ...live, texts: facts.onMain, merged: facts.merged?.texts ?? null },
  }
  const checked = checkOverlay(spec, facts)
  if (!checked.ok) return checked
  const proposal = overlayProposal(
    options.pipeline,
    query,
    entityRequest,
    request,
    spec,
    asked.secrets,
  )
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

function planChange(
  { pipeline }: OverlayFactsSource,
  spec: OverlaySpec,
  proposal: ProposalRequest,
  facts: OverlayFacts,
): Result<Plan, OverlayPlanFailure> {
  const { stage, live, config } = spec
  const { standing, current, merged, claims, secrets, warnings: found } = facts
  const onBranch = overlayFiles(spec, current)
  if (!onBranch.ok) return onBranch
  const files = merged === null ? onBranch : overlayFiles(spec, merged.texts)
  if (!files.ok) return files
  const isRelease = live !== null
  const isOpen = standing.kind === 'open'
  const lost = merged && overtaken(current, onBranch.value, merged.texts, files.value)
  if (isOpen && lost) {
    return err({ kind: 'pr_outdated', pullRequest: standing.pull.number, path: lost })
  }
  const isEmpty = isRelease && isOpen && isIn(live.texts, files.value)
  const changes = !isIn(textsThere(spec, current), onBranch.value)
  const rebuilt =
    isOpen && merged?.isConflicting === true
      ? { expected: standing.pull.head.commit, files: files.value }
      : null
  // A release that asks again for what its pull request has finds the pull request.
  const isProposed = !isRelease || changes || (isOpen && namesOverlay(spec))
  if (!isProposed && secrets === null) {
    return err({ kind: 'nothing_to_change', environment: stage.environment })
  }
  const image = imageFor(spec, current)
  const host = config.ingress?.host
  return ok({
    kind: isRelease ? 'release' : 'promotion',
    change: isProposed
      ? { proposal: { ...proposal, ...(rebuilt && { rebuilt }) }, standing, files: files.value }
      : null,
    secrets,
    title: proposal.title,
    image: { name: spec.base.image, image, carriedFrom: carriedFrom(spec, image) },
    stage,
    warnings: [
      ...warningsOf({ image, host, ...claims, pipeline }),
      ...(rebuilt === null ? found : found.filter(({ code }) => code !== 'conflicting')),
      ...emptyWarnings(isProposed && isEmpty, found),
      ...releaseWarnings(isRelease && secrets !== null),
      ...secretPathWarnings(secrets?.path, secretPathIn(patchThere(spec, facts))),
    ],
  })
}

/** The file with a value that the default branch has changed too: a merge would have a conflict, or lose what is asked for. */
function overtaken(
  branch: Texts,
  onBranch: readonly WrittenFile[],
  merged: Texts,
  files: readonly WrittenFile[],
): RepositoryPath | undefined {
  const textOf = (written: readonly WrittenFile[], path: RepositoryPath) => {
    const file = written.find((each) => each.path === path)
    return file && decodeUtf8Exactly(file.bytes)
  }
  return files.find(({ path }) => {
    const [before, now, asked] = [branch.get(path), merged.get(path), textOf(files, path)]
    const proposed = textOf(onBranch, path) ?? before
    return asked !== now && asked !== mergedText({ before, proposed, now })
  })?.path
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
