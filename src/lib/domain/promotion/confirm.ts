import type { LifecycleName, ObjectId } from '../../names.ts'
import type { DatabaseFailure } from '../../ports/database.ts'
import type { GitFailure, PullRequest } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { plain } from '../gitops/free-text.ts'
import type { ProposeFailure } from '../gitops/propose.ts'
import type { EditFailure } from '../gitops/edit-entity.ts'
import { decideConfirmation, type MoveRefusal } from './decide.ts'
import { entityChange } from './entity-change.ts'
import { admit, type Admitted, type Asking, type GateFailure, type GateOptions } from './gate.ts'
import { DEPRECATED, FIRST, type Stage } from './pipeline.ts'
import { progressOf } from './progress.ts'
import { type ProposalRequest, proposeMove } from './propose.ts'
import { readSubject, type SubjectFailure } from './subject.ts'

/** Commits by others between reading and writing that a request outlives. */
const ATTEMPTS_MAX = 5

export interface ConfirmOptions extends GateOptions {
  readonly catalog: Pick<Catalog, 'atHead' | 'invalidate'>
}

export type Confirmed =
  | {
      readonly kind: 'confirmed'
      readonly previousLifecycle: string
      readonly lifecycle: string
      readonly commit: ObjectId
    }
  | {
      readonly kind: 'already_confirmed'
      /** The one that a promotion to it comes from. */
      readonly previousLifecycle: string
      readonly lifecycle: string
      readonly commit: ObjectId
    }
  /** The default branch takes no commit of ours: it is proposed instead. */
  | { readonly kind: 'lifecycle_pr_open'; readonly pullRequest: PullRequest }

export type ConfirmFailure =
  GateFailure | MoveRefusal | EditFailure | ProposeFailure | GitFailure | DatabaseFailure

/** Finishes a promotion whose overlay is on the default branch: one commit that changes the lifecycle and nothing else. */
export async function confirm(
  options: ConfirmOptions,
  asking: Asking,
  wanted: LifecycleName | undefined,
): Promise<Result<Confirmed, ConfirmFailure>> {
  const target = await targetOf(options, asking, wanted)
  if (!target.ok) return target
  if (target.value === null) return refuse(options, asking)
  for (let attempt = 1; ; attempt++) {
    const tried = await confirmOnce(options, asking, target.value)
    const isLostRace = !tried.ok && tried.error.kind === 'git_conflict'
    if (!isLostRace || attempt >= ATTEMPTS_MAX) return tried
  }
}

/** Settled once: a request without a target means the stage that was next when it came. `null`: there is none for what is deprecated. */
async function targetOf(
  options: ConfirmOptions,
  asking: Asking,
  wanted: LifecycleName | undefined,
): Promise<Result<Stage | null, SubjectFailure>> {
  const { pipeline } = options
  const named = wanted === undefined ? undefined : pipeline.stageOf(wanted)
  if (named !== undefined) return ok(named)
  const read = await readSubject(options, asking)
  if (!read.ok) return read
  const { eligibility } = read.value
  // Where there is nothing to confirm, the gate says who may hear why.
  if (eligibility.kind === 'not_promotable') return ok(pipeline.first)
  const next = pipeline.stageAfter(eligibility.lifecycle)
  const current = pipeline.stageOf(eligibility.lifecycle)
  if (next === undefined) return ok(current ?? null)
  const isNothingNext = progressOf(eligibility, next).kind === 'none'
  // Asked for a second time: what was next is done.
  const isDone = current !== undefined && eligibility.application.overlays.has(current)
  return ok(isNothingNext && isDone ? current : next)
}

/** By role first, as anything else that one may want of it, and on record. */
async function refuse(
  options: ConfirmOptions,
  asking: Asking,
): Promise<Result<never, ConfirmFailure>> {
  const admitted = await admit(options, asking, { action: 'promotion.confirm', target: DEPRECATED })
  if (!admitted.ok) return admitted
  const { promotable, trail } = admitted.value
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
  asking: Asking,
  stage: Stage,
): Promise<Result<Confirmed, ConfirmFailure>> {
  const admitted = await admit(options, asking, {
    action: 'promotion.confirm',
    target: stage.lifecycle,
  })
  if (!admitted.ok) return admitted
  const { subject, promotable, trail } = admitted.value
  const progress = progressOf(promotable, stage)
  const decided = decideConfirmation(options.pipeline, promotable.lifecycle, stage, progress)
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
  const change = await lifecycleChange(options, asking, stage, admitted.value)
  if (!change.ok) {
    await trail.denied(change.error.kind)
    return change
  }
  return trail.effects(
    {},
    () => advance(options, stage, promotable.lifecycle, change.value),
    (confirmed) =>
      confirmed.kind === 'confirmed'
        ? { commit: confirmed.commit }
        : { pullRequest: confirmed.pullRequest.number },
  )
}

function lifecycleChange(
  options: ConfirmOptions,
  asking: Asking,
  { environment, lifecycle }: Stage,
  { subject, promotable: { team, app } }: Admitted,
): ReturnType<typeof entityChange> {
  const who = plain(asking.principal.name)
  return entityChange(options, asking, subject, {
    move: { team, app, act: 'lifecycle', environment },
    edits: [{ path: ['spec', 'lifecycle'], value: lifecycle }],
    title: `[Lifecycle] ${team}/${app} → ${environment}`,
    summary: `lifecycle: ${team}/${app} is ${lifecycle}`,
    body: [`Confirms that **${team}/${app}** is in ${environment}, asked for by ${who}.`],
  })
}

/** On the default branch, or where that takes no commit of ours by a pull request. */
async function advance(
  { gitHost, repository, catalog }: ConfirmOptions,
  { lifecycle }: Stage,
  previousLifecycle: string,
  change: ProposalRequest,
): Promise<Result<Exclude<Confirmed, { kind: 'already_confirmed' }>, ConfirmFailure>> {
  const { base, message, author } = change
  const committed = await gitHost.commit(repository, {
    branch: base.branch,
    from: { kind: 'advance', expected: base.commit },
    changes: change.files(new Map()),
    message,
    author,
  })
  if (committed.ok) {
    catalog.invalidate()
    const { commit } = committed.value
    return ok({ kind: 'confirmed', previousLifecycle, lifecycle, commit })
  }
  if (committed.error.kind !== 'git_denied') return committed
  const proposed = await proposeMove(gitHost, change)
  if (!proposed.ok) return proposed
  return ok({ kind: 'lifecycle_pr_open', pullRequest: proposed.value.pullRequest })
}
