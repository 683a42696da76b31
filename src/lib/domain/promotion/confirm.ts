import type { ObjectId } from '../../names.ts'
import type { DatabaseFailure } from '../../ports/database.ts'
import type { GitFailure, PullRequest } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { authorOf } from '../gitops/author.ts'
import { editEntity } from '../gitops/edit-yaml.ts'
import { plain } from '../gitops/free-text.ts'
import { decideConfirmation, type Refusal } from './decide.ts'
import { sourceOf } from './deprecate.ts'
import { admit, type Admitted, type Asking, type GateFailure, type GateOptions } from './gate.ts'
import { type Move, trailerOf } from './move.ts'
import { pipeline, type Stage, type StageLifecycle, stageAfter, stageOf } from './pipeline.ts'
import { propose, type ProposalRequest, type ProposeFailure } from './propose.ts'
import { standingOf } from './state.ts'
import { readSubject } from './subject.ts'

/** Commits by others between reading and writing that a request outlives. */
const ATTEMPTS_MAX = 5

export interface ConfirmOptions extends GateOptions {
  readonly catalog: Pick<Catalog, 'read' | 'invalidate'>
}

export type Confirmed =
  | {
      readonly kind: 'confirmed'
      readonly previousLifecycle: string
      readonly lifecycle: string
      readonly commit: ObjectId
    }
  | { readonly kind: 'already_confirmed'; readonly lifecycle: string; readonly commit: ObjectId }
  /** The default branch takes no commit of ours: it is proposed instead. */
  | { readonly kind: 'lifecycle_pr_open'; readonly pullRequest: PullRequest }

export type ConfirmFailure =
  | GateFailure
  | Exclude<Refusal, { kind: 'forbidden' }>
  | { readonly kind: 'entity_not_editable'; readonly reason: string }
  /** There is no stage above. */
  | { readonly kind: 'nothing_to_confirm' }
  | ProposeFailure
  | GitFailure
  | DatabaseFailure

/** Finishes a promotion whose overlay is on the default branch: one commit that changes the lifecycle and nothing else. */
export async function confirm(
  options: ConfirmOptions,
  asking: Asking,
  wanted: StageLifecycle | undefined,
): Promise<Result<Confirmed, ConfirmFailure>> {
  const target = await targetOf(options, asking, wanted)
  if (!target.ok) return target
  for (let attempt = 1; ; attempt++) {
    const tried = await confirmOnce(options, asking, target.value)
    const isLostRace = !tried.ok && tried.error.kind === 'git_conflict'
    if (!isLostRace || attempt >= ATTEMPTS_MAX) return tried
  }
}

/** Settled once: a request without a target means the stage that was next when it came. */
async function targetOf(
  options: ConfirmOptions,
  asking: Asking,
  wanted: StageLifecycle | undefined,
): Promise<Result<Stage, ConfirmFailure>> {
  const named = wanted === undefined ? undefined : stageOf(wanted)
  if (named !== undefined) return ok(named)
  const read = await readSubject(options, asking)
  if (!read.ok) return read
  const { standing } = read.value
  // The gate says who may hear why.
  if (standing.kind === 'not_promotable') return ok(pipeline[0])
  const next = stageAfter(standing.lifecycle)
  const current = stageOf(standing.lifecycle)
  const isNothingNext = next === undefined || standingOf(standing, next).kind === 'none'
  // Asked for a second time: what was next is done.
  if (isNothingNext && current !== undefined && standing.application.overlays.has(current)) {
    return ok(current)
  }
  return next === undefined ? err({ kind: 'nothing_to_confirm' }) : ok(next)
}

async function confirmOnce(
  options: ConfirmOptions,
  asking: Asking,
  stage: Stage,
): Promise<Result<Confirmed, ConfirmFailure>> {
  const admitted = await admit(options, asking, 'promotion.confirm', stage.lifecycle)
  if (!admitted.ok) return admitted
  const { subject, promotable, trail } = admitted.value
  const standing = standingOf(promotable, stage)
  const decided = decideConfirmation(promotable.lifecycle, stage, standing)
  if (!decided.ok) {
    await trail.denied(decided.error.kind, { target: stage.lifecycle })
    return decided
  }
  if (decided.value.kind === 'already_confirmed') {
    const noted = await trail.allowed({ target: stage.lifecycle })
    if (!noted.ok) return noted
    return ok({ kind: 'already_confirmed', lifecycle: stage.lifecycle, commit: subject.commit })
  }
  return advance(options, asking, stage, admitted.value)
}

async function advance(
  options: ConfirmOptions,
  asking: Asking,
  stage: Stage,
  { subject, promotable, trail }: Admitted,
): Promise<Result<Confirmed, ConfirmFailure>> {
  const source = await sourceOf(options, subject)
  if (!source.ok) return source
  const edited = editEntity(source.value, subject, [
    { path: ['spec', 'lifecycle'], value: stage.lifecycle },
  ])
  if (!edited.ok) {
    await trail.denied(edited.error.kind, { target: stage.lifecycle })
    return edited
  }
  const started = await trail.started({ target: stage.lifecycle })
  if (!started.ok) return started

  const proposal = proposalOf(options, asking, stage, { subject, promotable, trail }, edited.value)
  const { gitHost, repository, catalog } = options
  const committed = await gitHost.commit(repository, {
    branch: subject.branch,
    from: { kind: 'advance', expected: subject.commit },
    changes: proposal.files(new Map()),
    message: proposal.message,
    author: proposal.author,
  })
  if (committed.ok) {
    catalog.invalidate()
    const { commit } = committed.value
    const done = await trail.done({ target: stage.lifecycle, commit })
    if (!done.ok) return done
    const previousLifecycle = promotable.lifecycle
    return ok({ kind: 'confirmed', previousLifecycle, lifecycle: stage.lifecycle, commit })
  }
  if (committed.error.kind !== 'git_denied') {
    // A lost race is tried again, and has an end of its own.
    if (committed.error.kind !== 'git_conflict') await trail.failed(committed.error.kind)
    return committed
  }
  const proposed = await propose(gitHost, proposal)
  if (!proposed.ok) {
    await trail.failed(proposed.error.kind)
    return proposed
  }
  const { pullRequest } = proposed.value
  const done = await trail.done({ target: stage.lifecycle, pullRequest: pullRequest.number })
  return done.ok ? ok({ kind: 'lifecycle_pr_open', pullRequest }) : done
}

function proposalOf(
  { repository }: ConfirmOptions,
  { principal }: Asking,
  { environment, lifecycle }: Stage,
  { subject, promotable: { team, app } }: Pick<Admitted, 'subject' | 'promotable' | 'trail'>,
  content: string,
): ProposalRequest {
  const move: Move = { team, app, act: 'lifecycle', environment }
  const bytes = new TextEncoder().encode(content)
  return {
    repository,
    move,
    base: { branch: subject.branch, commit: subject.commit },
    files: () => [{ kind: 'write', path: subject.path, bytes }],
    paths: [subject.path],
    title: `[Lifecycle] ${team}/${app} → ${environment}`,
    message: `lifecycle: ${team}/${app} is ${lifecycle}\n`,
    body: `${[
      `Confirms that **${team}/${app}** is in ${environment}, asked for by ${plain(principal.name)}.`,
      '',
      trailerOf(move),
    ].join('\n')}\n`,
    author: authorOf(principal),
  }
}
