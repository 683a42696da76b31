import { formatPatch, structuredPatch } from 'diff'
import type { RepositoryPath } from '../../names.ts'
import type { WrittenFile } from '../../ports/git-host.ts'
import type { SecretVersion } from '../../ports/secret-store.ts'
import { ok, type Result } from '../../result.ts'
import { FILE_BYTES_MAX } from '../catalog/problem.ts'
import { plain, quoted } from '../gitops/free-text.ts'
import { decideMove } from './decide.ts'
import type { DepsOfActor } from './dependencies.ts'
import { type Admission, admit, type MoveRequest } from './exclusive-request.ts'
import type { MoveFailure } from './failure.ts'
import type { FinishedMove } from './move-run.ts'
import type { MoveRun } from './move-runs.ts'
import { moveTo } from './move.ts'
import { planOverlay } from './overlay/plan.ts'
import { DEPRECATED } from './pipeline.ts'
import { entityChange, type Plan, statusOf } from './plan.ts'
import { progressOf } from './progress.ts'
import { type ProposedPullRequest, proposeMove } from './proposal.ts'
import { namesOf } from './request-audit.ts'
import type { PromotionRequest } from './request.ts'
import type { CheckedSecrets } from './secrets.ts'
import type { EntityRequest } from './subject.ts'
import { currentTexts, EDITS_MAX, type Texts } from './texts.ts'
import { unchangedWarnings } from './warnings.ts'

const UNCHANGED =
  'a deprecation changes no overlay and writes no secrets; nothing of overlayConfig is applied'

/** Every check after the role, in the order of the contract: transition, values. Nothing is written. */
async function planMove(
  deps: DepsOfActor,
  request: PromotionRequest,
  admission: Admission,
): Promise<Result<Plan, MoveFailure>> {
  const { promotable } = admission
  const { lifecycle } = promotable
  const decided = decideMove(deps.pipeline, lifecycle, request.targetLifecycle, (stage) =>
    progressOf(promotable, stage),
  )
  if (!decided.ok) return decided
  if (decided.value.kind !== 'deprecate') {
    return planOverlay(deps, request, admission, decided.value)
  }
  const deprecated = await deprecation(deps, request, admission)
  if (!deprecated.ok) return deprecated
  const { change, warnings } = deprecated.value
  return ok({
    kind: 'deprecation',
    change,
    secrets: null,
    title: change.title,
    warnings: [...unchangedWarnings(request.overlayConfig, UNCHANGED), ...warnings],
    image: null,
    stage: null,
  })
}

/** The change that deprecates an entity: its lifecycle, and annotations with the reason, the person and the replacement. */
function deprecation(
  deps: DepsOfActor,
  { deprecation: { reason, replacedBy, sunsetAt } = {} }: PromotionRequest,
  admission: Admission,
): ReturnType<typeof entityChange> {
  const { principal, promotable } = admission
  const { team, app } = promotable
  const annotations = {
    reason,
    'replaced-by': replacedBy,
    'sunset-at': sunsetAt,
    by: principal.subject,
    at: new Date(deps.clock.now()).toISOString().slice(0, 10),
  }
  const edits = [
    { path: ['spec', 'lifecycle'], value: DEPRECATED },
    ...Object.entries(annotations).flatMap(([name, value]) =>
      value === undefined || value === ''
        ? []
        : [{ path: ['metadata', 'annotations', `portico/deprecated-${name}`], value }],
    ),
  ]
  return entityChange(deps, admission, moveTo(promotable, null), edits, {
    title: `[Deprecate] ${team}/${app}`,
    summary: `deprecate: ${team}/${app}`,
    lines: [
      `Marks **${team}/${app}** as deprecated, asked for by ${plain(principal.name)}.`,
      ...(reason ? ['', ...quoted(reason)] : []),
    ],
  })
}

export interface CompletedPromotion extends Plan, FinishedMove {
  /** `null` when there is nothing to propose. */
  readonly proposed: ProposedPullRequest | null
  readonly secretVersion: SecretVersion | null
}

interface FilePreview {
  readonly path: RepositoryPath
  readonly status: 'added' | 'modified' | 'unchanged'
  /** Unified, against the default branch. */
  readonly diff: string
  readonly content: string
}

export interface PromotionPreview extends Plan {
  readonly files: readonly FilePreview[]
}

/** Writes the secrets, then the branch, then the pull request. A repeated request finds each of them. */
export const promotionOf = (
  deps: DepsOfActor,
  request: PromotionRequest,
): MoveRequest<CompletedPromotion> => {
  const { pipeline } = deps
  const stage = pipeline.stageOf(request.targetLifecycle)
  return {
    ...askedBy(request),
    stored: { step: 'propose', ...withoutValues(request) },
    async plan(admission, run) {
      const planned = await planMove(deps, request, admission)
      return planned.ok ? ok(() => perform(deps, admission, planned.value, run)) : planned
    },
    endedBy(pullRequest, { lifecycle }) {
      const { commit } = pullRequest.head
      const isRelease = stage !== undefined && pipeline.hasReached(lifecycle, stage)
      const kind = stage === undefined ? 'deprecation' : isRelease ? 'release' : 'promotion'
      return {
        outcome: { kind, status: 'pr_open', pullRequest, commit },
        facts: factsOf({ pullRequest, created: true, updated: false, commit }),
      }
    },
  }
}

/** The journal keeps the names of secrets alone. */
function withoutValues(request: PromotionRequest) {
  const names = Object.keys(request.overlayConfig?.secrets ?? {})
  const secrets = Object.fromEntries(names.map((name) => [name, '']))
  const hasSecrets = names.length > 0
  return hasSecrets
    ? { hasSecrets, request: { ...request, overlayConfig: { ...request.overlayConfig, secrets } } }
    : { hasSecrets, request }
}

const askedBy = ({ targetLifecycle: target }: PromotionRequest) => ({
  action: target === DEPRECATED ? 'promotion.deprecate' : 'promotion.propose',
  target,
})

/** Answers the version of the entry that has the secrets. */
async function writeSecrets(
  { secrets }: DepsOfActor,
  audit: Admission['audit'],
  checked: CheckedSecrets,
): Promise<Result<SecretVersion, MoveFailure>> {
  const written = await secrets.write(checked)
  if (!written.ok) return written
  const noted = await audit.secretsWritten(written.value)
  if (!noted.ok) return noted
  const labelled = written.value.isUnlabelled ? await secrets.label(checked) : ok(undefined)
  return labelled.ok ? ok(written.value.version) : labelled
}

async function perform(
  deps: DepsOfActor,
  { audit }: Admission,
  plan: Plan,
  run: MoveRun,
): Promise<Result<CompletedPromotion, MoveFailure>> {
  const { kind, change, secrets } = plan
  const completed = (
    proposed: ProposedPullRequest | null = null,
    secretVersion: SecretVersion | null = null,
  ): CompletedPromotion => {
    const { pullRequest = null, commit = null } = proposed ?? {}
    const outcome = { kind, status: statusOf(plan), pullRequest, commit }
    return { ...plan, proposed, secretVersion, outcome }
  }
  if (change === null && secrets === null) {
    const noted = await audit.allowed()
    return noted.ok ? ok(completed()) : noted
  }
  return audit.effects(
    { kind, runId: run.id, ...namesOf(secrets) },
    async (): Promise<Result<CompletedPromotion, MoveFailure>> => {
      const written = secrets === null ? ok(null) : await writeSecrets(deps, audit, secrets)
      if (!written.ok) return written
      const secretVersion = written.value
      const proposed =
        change === null ? ok(null) : await proposeMove(deps, change, run, secretVersion)
      return proposed.ok ? ok(completed(proposed.value, secretVersion)) : proposed
    },
    ({ proposed }) => (proposed === null ? {} : factsOf(proposed)),
  )
}

const factsOf = ({ pullRequest: { number }, ...facts }: Omit<ProposedPullRequest, 'branch'>) => ({
  pullRequest: number,
  created: facts.created,
  updated: facts.updated,
  commit: facts.commit,
})

/** The files that the pull request would contain, byte for byte. Only a refusal is on record. */
export async function preview(
  deps: DepsOfActor,
  entityRequest: EntityRequest,
  request: PromotionRequest,
): Promise<Result<PromotionPreview, MoveFailure>> {
  const asked = { ...askedBy(request), dryRun: true }
  const admitted = await admit(deps, entityRequest, asked)
  if (!admitted.ok) return admitted
  const planned = await planMove(deps, request, admitted.value)
  if (!planned.ok) {
    await admitted.value.audit.refused(planned.error)
    return planned
  }
  const { change } = planned.value
  if (change === null) return ok({ ...planned.value, files: [] })
  const { commit } = change.base
  const paths = change.files.map(({ path }) => path)
  const before = await currentTexts(deps, { commit }, paths, FILE_BYTES_MAX)
  if (!before.ok) return before
  return ok({ ...planned.value, files: previewOf(change.files, before.value) })
}

const CONTEXT_LINES = 3

const previewOf = (files: readonly WrittenFile[], texts: Texts): readonly FilePreview[] =>
  files.map(({ path, bytes }) => {
    const content = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
    const before = texts.get(path)
    const status = before === undefined ? 'added' : before === content ? 'unchanged' : 'modified'
    const names = [before === undefined ? '/dev/null' : `a/${path}`, `b/${path}`] as const
    return { path, status, diff: diffOf(names, before ?? '', content), content }
  })

/** The diff of two texts. Beyond `EDITS_MAX` it takes all old lines away and adds all new ones. */
function diffOf(names: readonly [string, string], before: string, after: string): string {
  const hunksOf = (from: string, to: string) => structuredPatch(...names, from, to).hunks
  const options = { context: CONTEXT_LINES, maxEditLength: EDITS_MAX }
  const patch = structuredPatch(...names, before, after, '', '', options)
  if (patch !== undefined) return formatPatch(patch)
  const [removed] = hunksOf(before, '')
  const [added] = hunksOf('', after)
  const lines = [removed, added].flatMap((hunk) => hunk?.lines ?? [])
  const { oldLines = 0 } = removed ?? {}
  const { newLines = 0 } = added ?? {}
  const hunk = { oldStart: 1, oldLines, newStart: 1, newLines, lines }
  return formatPatch({ ...structuredPatch(...names, '', '', '', ''), hunks: [hunk] })
}
