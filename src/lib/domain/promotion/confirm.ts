import type { LifecycleName, ObjectId } from '../../names.ts'
import type { GitFailure, PullRequest } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { authorOf } from '../gitops/requesters.ts'
import { plain } from '../gitops/free-text.ts'
import type { EditFailure } from '../gitops/edit-entity.ts'
import { decideConfirmation, type MoveRefusal } from './decide.ts'
import { entityChange } from './plan.ts'
import {
  type Admission,
  exclusively,
  type GateFailure,
  type MoveRequest,
} from './exclusive-request.ts'
import type { PromotionDeps } from './dependencies.ts'
import type { LockFailure, MoveRun, MoveRuns, Waiting } from './move-runs.ts'
import { isOurs, type Move } from './move.ts'
import { DEPRECATED, FIRST, type Stage } from './pipeline.ts'
import { readProgress } from './progress.ts'
import { openPull } from './pulls.ts'
import { branchOf, type Proposal, proposeMove } from './proposal.ts'
import { type EntityRequest, type Promotable, readSubject, type Subject } from './subject.ts'

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

export type ConfirmFailure = GateFailure | MoveRefusal | EditFailure | GitFailure | LockFailure

/** Finishes a promotion whose overlay is on the default branch, by a commit that changes only the lifecycle. */
export const confirmationOf = (
  deps: PromotionDeps,
  entityRequest: EntityRequest,
  stage: Stage | null,
): MoveRequest<ConfirmationOutcome, ConfirmFailure> => ({
  action: 'promotion.confirm',
  target: stage?.lifecycle ?? DEPRECATED,
  async plan(admission, run) {
    const planned = await planConfirmation(deps, entityRequest, admission, stage, run)
    return planned.ok ? ok(() => perform(deps, admission, planned.value, run)) : planned
  },
  outcomeOf: (outcome) => ({
    kind: 'confirmation',
    status: outcome.kind,
    pullRequest: outcome.kind === 'lifecycle_pr_open' ? outcome.pullRequest : null,
    commit: outcome.kind === 'lifecycle_pr_open' ? null : outcome.commit,
  }),
  moveOf: (promotable) => moveTo(promotable, stage),
  endedBy: (pullRequest) => ({
    outcome: { kind: 'confirmation', status: 'lifecycle_pr_open', pullRequest, commit: null },
    facts: { pullRequest: pullRequest.number },
  }),
})

const moveTo = ({ team, app }: Pick<Promotable, 'team' | 'app'>, stage: Stage | null): Move => ({
  team,
  app,
  act: 'lifecycle',
  environment: stage?.environment ?? '',
})

export async function confirm(
  deps: PromotionDeps & { readonly moveRuns: Pick<MoveRuns, 'request'> },
  entityRequest: EntityRequest,
  targetLifecycle: LifecycleName | undefined,
  isAsync: boolean,
): Promise<Result<ConfirmationOutcome, ConfirmFailure | Waiting>> {
  const stored = { step: 'confirm', request: null, hasSecrets: false } as const
  const named = targetLifecycle === undefined ? undefined : deps.pipeline.stageOf(targetLifecycle)
  if (named !== undefined) {
    const move = confirmationOf(deps, entityRequest, named)
    return exclusively(deps, entityRequest, move, stored, isAsync)
  }
  const subject = await readSubject(deps, entityRequest)
  if (!subject.ok) return subject
  const stage = await dueStage(deps, subject.value)
  if (!stage.ok) return stage
  const move = confirmationOf(deps, entityRequest, stage.value)
  return exclusively(deps, entityRequest, move, stored, isAsync, subject.value)
}

/** The stage of a confirmation without a target, decided once per request: the next one. `null` for a deprecated entity. */
async function dueStage(
  deps: PromotionDeps,
  { eligibility, branch }: Subject,
): Promise<Result<Stage | null, GitFailure>> {
  const { pipeline } = deps
  // `admit` refuses, after it has checked the role.
  if (eligibility.kind === 'not_promotable') return ok(pipeline.first)
  const next = pipeline.stageAfter(eligibility.lifecycle)
  const current = pipeline.stageOf(eligibility.lifecycle)
  if (next === undefined) return ok(current ?? null)
  if (current === undefined || !eligibility.application.overlays.has(current)) return ok(next)
  const progress = await readProgress(deps, branch, eligibility, next)
  if (!progress.ok) return progress
  // A repeated request: the promotion to the current stage is done.
  return ok(progress.value.kind === 'none' ? current : next)
}

/** A confirmation, decided and not yet performed. */
interface Confirmation {
  readonly stage: Stage
  readonly previousLifecycle: string
  readonly effect:
    | { readonly kind: 'none' }
    | { readonly kind: 'advance'; readonly change: Proposal }
    /** An attempt before this one has made the commit. */
    | { readonly kind: 'pushed'; readonly commit: ObjectId }
}

/** Commits of the entity's file in which the commit of an attempt is looked for. */
const COMMITS_MAX = 20

async function planConfirmation(
  deps: PromotionDeps,
  entityRequest: EntityRequest,
  admission: Admission,
  stage: Stage | null,
  run: Pick<MoveRun, 'mayHaveOpened'>,
): Promise<Result<Confirmation, ConfirmFailure>> {
  const { subject, promotable } = admission
  const { lifecycle, pulls, team, app } = promotable
  if (stage === null) {
    return err({ kind: 'invalid_transition', from: lifecycle, to: DEPRECATED, allowed: [] })
  }
  const { environment } = stage
  const move = moveTo(promotable, stage)
  const previousLifecycle = deps.pipeline.stageBefore(stage)?.lifecycle ?? FIRST
  const progress = await readProgress(deps, subject.branch, promotable, stage)
  if (!progress.ok) return progress
  const open = openPull(pulls, stage, 'lifecycle')?.number
  const ofOthers = run.mayHaveOpened === null ? open : undefined
  const decided = decideConfirmation(deps.pipeline, lifecycle, stage, progress.value, ofOthers)
  if (!decided.ok) return decided
  if (decided.value.kind === 'already_confirmed') {
    const none = ok({ stage, previousLifecycle, effect: { kind: 'none' } } as const)
    if (run.mayHaveOpened === null) return none
    const { commit: of, entity } = subject
    const range = { of, paths: [entity.path], limit: COMMITS_MAX }
    const commits = await deps.gitHost.listCommits(deps.repository, range)
    if (!commits.ok) return commits
    const own = commits.value.find(({ message }) => isOurs(message, move))
    if (own === undefined) return none
    return ok({ stage, previousLifecycle, effect: { kind: 'pushed', commit: own.id } })
  }
  const change = await entityChange(deps, entityRequest, admission, {
    move,
    edits: [{ path: ['spec', 'lifecycle'], value: stage.lifecycle }],
    title: `[Lifecycle] ${team}/${app} → ${environment}`,
    summary: `lifecycle: ${team}/${app} is ${stage.lifecycle}`,
    body: [
      `Confirms that **${team}/${app}** is in ${environment}, asked for by ${plain(entityRequest.principal.name)}.`,
    ],
  })
  if (!change.ok) return change
  const effect = { kind: 'advance', change: change.value.change } as const
  return ok({ stage, previousLifecycle: lifecycle, effect })
}

async function perform(
  deps: PromotionDeps,
  { audit, subject: { commit } }: Admission,
  { stage: { lifecycle }, previousLifecycle, effect }: Confirmation,
  run: MoveRun,
): Promise<Result<ConfirmationOutcome, ConfirmFailure>> {
  if (effect.kind === 'none') {
    const noted = await audit.allowed()
    return noted.ok
      ? ok({ kind: 'already_confirmed', previousLifecycle, lifecycle, commit })
      : noted
  }
  return audit.effects(
    { runId: run.id },
    async () => {
      const advanced =
        effect.kind === 'advance'
          ? await advance(deps, effect.change, run)
          : ok(await confirmed(deps, effect.commit))
      return advanced.ok ? ok({ ...advanced.value, previousLifecycle, lifecycle }) : advanced
    },
    (done): Readonly<Record<string, string | number>> =>
      done.kind === 'confirmed'
        ? { commit: done.commit }
        : { pullRequest: done.pullRequest.number },
  )
}

type Advanced =
  | { readonly kind: 'confirmed'; readonly commit: ObjectId }
  | { readonly kind: 'lifecycle_pr_open'; readonly pullRequest: PullRequest }

/** Commits to the default branch or, where it is protected, opens a pull request. */
async function advance(
  deps: PromotionDeps,
  proposal: Proposal,
  run: MoveRun,
): Promise<Result<Advanced, GitFailure | LockFailure>> {
  const { gitHost, repository } = deps
  const { base, files, message, askedBy } = proposal
  const accepted = await run.accept({ branch: branchOf(proposal), secretVersion: null })
  if (!accepted.ok) return accepted
  const committed = await gitHost.commit(repository, {
    branch: base.branch,
    from: { kind: 'advance', expected: base.commit },
    changes: files,
    message,
    author: authorOf(askedBy),
  })
  if (committed.ok) return ok(await confirmed(deps, committed.value.commit))
  if (committed.error.kind !== 'git_denied') return committed
  const proposed = await proposeMove(deps, proposal, run)
  if (!proposed.ok) return proposed
  return ok({ kind: 'lifecycle_pr_open', pullRequest: proposed.value.pullRequest })
}

async function confirmed(
  { catalog }: Pick<PromotionDeps, 'catalog'>,
  commit: ObjectId,
): Promise<Advanced> {
  await catalog.invalidate()
  return { kind: 'confirmed', commit }
}
