import type { LifecycleName, ObjectId } from '../../names.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { GitFailure, PullRequest } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import type { Decision } from '../audit/decision.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { ReplicatedInvalidation } from '../replicated-invalidation.ts'
import { plain } from '../gitops/free-text.ts'
import type { EditFailure } from '../gitops/edit-entity.ts'
import { decideConfirmation, type MoveRefusal } from './decide.ts'
import { entityChange } from './entity-change.ts'
import { admit, type Admission, type GateFailure, type GateOptions } from './gate.ts'
import { DEPRECATED, FIRST, type Stage } from './pipeline.ts'
import { openPull, readProgress } from './progress.ts'
import type { Proposals } from './proposals.ts'
import type { ProposalRequest } from './propose.ts'
import { type EntityRequest, readSubject, type SubjectFailure } from './subject.ts'

/** Lost races against other commits after which a request gives up. */
const ATTEMPTS_MAX = 5

export interface ConfirmOptions extends GateOptions {
  readonly proposals: Pick<Proposals, 'propose'>
  readonly catalog: Pick<Catalog, 'atHead'> & Pick<ReplicatedInvalidation, 'invalidate'>
}

export type ConfirmationOutcome =
  | {
      readonly kind: 'confirmed'
      readonly previousLifecycle: string
      readonly lifecycle: string
      readonly commit: ObjectId
    }
  | {
      readonly kind: 'already_confirmed'
      /** The lifecycle before this stage in the pipeline. */
      readonly previousLifecycle: string
      readonly lifecycle: string
      readonly commit: ObjectId
    }
  /** The default branch is protected: a pull request proposes the commit. */
  | { readonly kind: 'lifecycle_pr_open'; readonly pullRequest: PullRequest }

export type ConfirmFailure = GateFailure | MoveRefusal | EditFailure | GitFailure | DatabaseFailure

/** Finishes a promotion whose overlay is on the default branch, by a commit that changes only the lifecycle. */
export async function confirm(
  options: ConfirmOptions,
  entityRequest: EntityRequest,
  targetLifecycle: LifecycleName | undefined,
): Promise<Result<ConfirmationOutcome, ConfirmFailure>> {
  const target = await targetOf(options, entityRequest, targetLifecycle)
  if (!target.ok) return target
  if (target.value === null) return refuse(options, entityRequest)
  const decision = options.audit.decide(entityRequest.principal)
  for (let attempt = 1; ; attempt++) {
    const tried = await confirmOnce(options, entityRequest, target.value, decision)
    if (!tried.ok && isLostRace(tried.error) && attempt < ATTEMPTS_MAX) continue
    // The row is still open after a lost race.
    if (!tried.ok) await decision.abandon(tried.error.kind)
    return tried
  }
}

const isLostRace = ({ kind }: ConfirmFailure): boolean => kind === 'git_conflict'

/** Decided once per request: without a target it is the next stage at the request's arrival. `null` for a deprecated entity. */
async function targetOf(
  options: ConfirmOptions,
  entityRequest: EntityRequest,
  targetLifecycle: LifecycleName | undefined,
): Promise<Result<Stage | null, SubjectFailure>> {
  const { pipeline } = options
  const named = targetLifecycle === undefined ? undefined : pipeline.stageOf(targetLifecycle)
  if (named !== undefined) return ok(named)
  const read = await readSubject(options, entityRequest)
  if (!read.ok) return read
  const { eligibility } = read.value
  // `admit` refuses, after it has checked the role.
  if (eligibility.kind === 'not_promotable') return ok(pipeline.first)
  const next = pipeline.stageAfter(eligibility.lifecycle)
  const current = pipeline.stageOf(eligibility.lifecycle)
  if (next === undefined) return ok(current ?? null)
  if (current === undefined || !eligibility.application.overlays.has(current)) return ok(next)
  const progress = await readProgress(options, read.value.branch, eligibility, next)
  if (!progress.ok) return progress
  // A repeated request: the promotion to the current stage is done.
  return ok(progress.value.kind === 'none' ? current : next)
}

/** Refuses after the role check, with an audit row, like every other request. */
async function refuse(
  options: ConfirmOptions,
  entityRequest: EntityRequest,
): Promise<Result<never, ConfirmFailure>> {
  const admission = await admit(options, entityRequest, {
    action: 'promotion.confirm',
    target: DEPRECATED,
  })
  if (!admission.ok) return admission
  const { promotable, trail } = admission.value
  await trail.denied('invalid_transition')
  return err({
    kind: 'invalid_transition',
    from: promotable.lifecycle,
    to: DEPRECATED,
    allowed: [],
  })
}

async function confirmOnce(
  options: ConfirmOptions,
  entityRequest: EntityRequest,
  stage: Stage,
  decision: Decision,
): Promise<Result<ConfirmationOutcome, ConfirmFailure>> {
  const asked = { action: 'promotion.confirm', target: stage.lifecycle }
  const admission = await admit(options, entityRequest, asked, decision)
  if (!admission.ok) return admission
  const { subject, promotable, trail } = admission.value
  const progress = await readProgress(options, subject.branch, promotable, stage)
  if (!progress.ok) return progress
  const { lifecycle, pulls } = promotable
  const open = openPull(pulls, stage, 'lifecycle')?.pull.number
  const decided = decideConfirmation(options.pipeline, lifecycle, stage, progress.value, open)
  if (!decided.ok) {
    await trail.denied(decided.error.kind)
    return decided
  }
  if (decided.value.kind === 'already_confirmed') {
    const noted = await trail.allowed()
    if (!noted.ok) return noted
    return ok({
      kind: 'already_confirmed',
      previousLifecycle: options.pipeline.stageBefore(stage)?.lifecycle ?? FIRST,
      lifecycle: stage.lifecycle,
      commit: subject.commit,
    })
  }
  const change = await lifecycleChange(options, entityRequest, stage, admission.value)
  if (!change.ok) {
    await trail.refused(change.error)
    return change
  }
  return trail.effects(
    {},
    () => advance(options, stage, promotable.lifecycle, change.value),
    (confirmed) =>
      confirmed.kind === 'confirmed'
        ? { commit: confirmed.commit }
        : { pullRequest: confirmed.pullRequest.number },
    isLostRace,
  )
}

function lifecycleChange(
  options: ConfirmOptions,
  entityRequest: EntityRequest,
  { environment, lifecycle }: Stage,
  { subject, promotable: { team, app } }: Admission,
): ReturnType<typeof entityChange> {
  const who = plain(entityRequest.principal.name)
  return entityChange(options, entityRequest, subject, {
    move: { team, app, act: 'lifecycle', environment },
    edits: [{ path: ['spec', 'lifecycle'], value: lifecycle }],
    title: `[Lifecycle] ${team}/${app} → ${environment}`,
    summary: `lifecycle: ${team}/${app} is ${lifecycle}`,
    body: [`Confirms that **${team}/${app}** is in ${environment}, asked for by ${who}.`],
  })
}

/** Commits to the default branch or, where it is protected, opens a pull request. */
async function advance(
  { gitHost, repository, catalog, proposals }: ConfirmOptions,
  { lifecycle }: Stage,
  previousLifecycle: string,
  change: ProposalRequest,
): Promise<Result<Exclude<ConfirmationOutcome, { kind: 'already_confirmed' }>, ConfirmFailure>> {
  const { base, message, author } = change
  const committed = await gitHost.commit(repository, {
    branch: base.branch,
    from: { kind: 'advance', expected: base.commit },
    changes: change.files(new Map()) ?? [],
    message,
    author,
  })
  if (committed.ok) {
    await catalog.invalidate()
    const { commit } = committed.value
    return ok({ kind: 'confirmed', previousLifecycle, lifecycle, commit })
  }
  if (committed.error.kind !== 'git_denied') return committed
  const proposed = await proposals.propose(change)
  if (!proposed.ok) return proposed
  return ok({ kind: 'lifecycle_pr_open', pullRequest: proposed.value.pullRequest })
}
