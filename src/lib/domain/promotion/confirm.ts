import type { LifecycleName, ObjectId } from '../../names.ts'
import type { Commit, GitFailure } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { plain } from '../gitops/free-text.ts'
import { authorOf } from '../gitops/requesters.ts'
import { decideConfirmation } from './decide.ts'
import type { PromotionDeps } from './dependencies.ts'
import { type Admission, type Change, exclusively, type MoveRequest } from './exclusive-request.ts'
import type { MoveFailure } from './failure.ts'
import type { FinishedMove, MoveOutcome } from './move-run.ts'
import type { MoveRun, MoveRuns, Waiting } from './move-runs.ts'
import { isOurs, type Move, moveTo, openPull } from './move.ts'
import { DEPRECATED, FIRST, type Stage } from './pipeline.ts'
import { entityChange } from './plan.ts'
import { readProgress } from './progress.ts'
import { openedBranch, proposeMove } from './proposal.ts'
import { type EntityRequest, readSubject, type Subject } from './subject.ts'

/** The status is `lifecycle_pr_open` where the default branch is protected and a pull request proposes the commit. */
export interface ConfirmationOutcome extends FinishedMove {
  /** For a promotion that was confirmed before it is the lifecycle before this stage in the pipeline. */
  readonly previousLifecycle: string
  readonly lifecycle: string
}

/** Finishes a promotion whose overlay is on the default branch, by a commit that changes only the lifecycle. */
export const confirmationOf = (
  deps: PromotionDeps,
  stage: Stage | null,
): MoveRequest<ConfirmationOutcome> => ({
  action: 'promotion.confirm',
  target: stage?.lifecycle ?? DEPRECATED,
  stored: { step: 'confirm', request: null, hasSecrets: false },
  plan: (admission, run) => planConfirmation(deps, admission, stage, run),
  endedBy: (pullRequest) => ({
    outcome: outcomeOf('lifecycle_pr_open', { pullRequest }),
    facts: { pullRequest: pullRequest.number },
  }),
})

const outcomeOf = (
  status: MoveOutcome['status'],
  { pullRequest = null, commit = null }: Partial<Pick<MoveOutcome, 'pullRequest' | 'commit'>>,
): MoveOutcome => ({ kind: 'confirmation', status, pullRequest, commit })

export async function confirm(
  deps: PromotionDeps & { readonly moveRuns: Pick<MoveRuns, 'request'> },
  entityRequest: EntityRequest,
  targetLifecycle: LifecycleName | undefined,
  isAsync: boolean,
): Promise<Result<ConfirmationOutcome, MoveFailure | Waiting>> {
  const named = targetLifecycle === undefined ? undefined : deps.pipeline.stageOf(targetLifecycle)
  if (named !== undefined) {
    return exclusively(deps, entityRequest, confirmationOf(deps, named), isAsync)
  }
  const subject = await readSubject(deps, entityRequest)
  if (!subject.ok) return subject
  const stage = await dueStage(deps, subject.value)
  if (!stage.ok) return stage
  const move = confirmationOf(deps, stage.value)
  return exclusively(deps, entityRequest, move, isAsync, subject.value)
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

/** Commits of the entity's file in which the commit of an attempt is looked for. */
const COMMITS_MAX = 20

async function planConfirmation(
  deps: PromotionDeps,
  admission: Admission,
  stage: Stage | null,
  run: MoveRun,
): Promise<Result<Change<ConfirmationOutcome>, MoveFailure>> {
  const { principal, audit, subject, promotable } = admission
  const { lifecycle: from, pulls, team, app } = promotable
  if (stage === null) {
    return err({ kind: 'invalid_transition', from, to: DEPRECATED, allowed: [] })
  }
  const { environment, lifecycle } = stage
  const move = moveTo(promotable, stage, 'lifecycle')
  const isRepeated = run.mayHaveOpened !== null
  const progress = await readProgress(deps, subject.branch, promotable, stage)
  if (!progress.ok) return progress
  const ofOthers = isRepeated ? undefined : openPull(pulls, stage, 'lifecycle')?.number
  const decided = decideConfirmation(deps.pipeline, from, stage, progress.value, ofOthers)
  if (!decided.ok) return decided
  const isConfirmed = decided.value.kind === 'already_confirmed'
  const before = deps.pipeline.stageBefore(stage)?.lifecycle ?? FIRST
  const lifecycles = { previousLifecycle: isConfirmed ? before : from, lifecycle }
  const finished = (outcome: MoveOutcome) => ok({ ...lifecycles, outcome })

  async function confirmed(commit: ObjectId) {
    await deps.catalog.invalidate()
    return finished(outcomeOf('confirmed', { commit }))
  }
  const effects = (act: Change<ConfirmationOutcome>) =>
    audit.effects({ runId: run.id }, act, ({ outcome: { pullRequest, commit } }) => ({
      ...(pullRequest && { pullRequest: pullRequest.number }),
      ...(commit && { commit }),
    }))

  if (isConfirmed) {
    const found = isRepeated ? await ownCommit(deps, subject, move) : ok(undefined)
    if (!found.ok) return found
    const own = found.value
    if (own !== undefined) return ok(() => effects(() => confirmed(own.id)))
    return ok(async () => {
      const noted = await audit.allowed()
      const { commit } = subject
      return noted.ok ? finished(outcomeOf('already_confirmed', { commit })) : noted
    })
  }
  const edits = [{ path: ['spec', 'lifecycle'], value: lifecycle }]
  const edited = await entityChange(deps, admission, move, edits, {
    title: `[Lifecycle] ${team}/${app} → ${environment}`,
    summary: `lifecycle: ${team}/${app} is ${lifecycle}`,
    lines: [
      `Confirms that **${team}/${app}** is in ${environment}, asked for by ${plain(principal.name)}.`,
    ],
  })
  if (!edited.ok) return edited
  const { change } = edited.value
  return ok(() =>
    effects(async () => {
      const accepted = await run.accept({ branch: openedBranch(change), secretVersion: null })
      if (!accepted.ok) return accepted
      const { branch, commit: expected } = subject
      const { files: changes, message } = change
      const from = { kind: 'advance', expected } as const
      const commit = { branch, from, changes, message, author: authorOf(principal) }
      const committed = await deps.gitHost.commit(deps.repository, commit)
      if (committed.ok) return confirmed(committed.value.commit)
      // A protected default branch denies the commit: then a pull request proposes it.
      if (committed.error.kind !== 'git_denied') return committed
      const proposed = await proposeMove(deps, change, run)
      if (!proposed.ok) return proposed
      return finished(outcomeOf('lifecycle_pr_open', { pullRequest: proposed.value.pullRequest }))
    }),
  )
}

/** The commit of an attempt before this one. */
async function ownCommit(
  { gitHost, repository }: PromotionDeps,
  { commit: of, entity }: Subject,
  move: Move,
): Promise<Result<Commit | undefined, GitFailure>> {
  const range = { of, paths: [entity.path], limit: COMMITS_MAX }
  const commits = await gitHost.listCommits(repository, range)
  return commits.ok ? ok(commits.value.find(({ message }) => isOurs(message, move))) : commits
}
