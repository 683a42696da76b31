import { createTwoFilesPatch } from 'diff'
import type { RepositoryPath } from '../../names.ts'
import type { SecretVersion } from '../../ports/secret-store.ts'
import { ok, type Result } from '../../result.ts'
import { FILE_BYTES_MAX } from '../catalog/problem.ts'
import type { ProposedPullRequest, WrittenFile } from '../gitops/propose.ts'
import { actionOf, admit, type Admission, exclusively, type GateFailure } from './gate.ts'
import type { Lock, LockFailure, Locks } from './locks.ts'
import type { Plan } from './plan.ts'
import { type PlanFailure, planMove, type PlanOptions } from './plan-move.ts'
import type { Proposals } from './proposals.ts'
import type { PromotionRequest } from './request.ts'
import { namesOf } from './request-audit.ts'
import type { Secrets } from './secrets.ts'
import type { EntityRequest } from './subject.ts'
import { currentTexts, type Texts } from './texts.ts'

export interface PromoteOptions extends PlanOptions {
  readonly secrets: Secrets
  readonly proposals: Pick<Proposals, 'propose'>
  readonly locks: Locks
}

export type PromoteFailure = GateFailure | PlanFailure | LockFailure

export interface CompletedPromotion extends Plan {
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
export const promote = (
  options: PromoteOptions,
  entityRequest: EntityRequest,
  request: PromotionRequest,
): Promise<Result<CompletedPromotion, PromoteFailure>> =>
  exclusively<Plan, CompletedPromotion, PlanFailure | LockFailure>(
    options,
    entityRequest,
    askedBy(request),
    {
      plan: (admission) => planMove(options, entityRequest, request, admission),
      act: (admission, plan, lock) => perform(options, admission, plan, lock),
    },
  )

const askedBy = ({ targetLifecycle: target }: PromotionRequest) => ({
  action: actionOf(target),
  target,
})

async function perform(
  options: PromoteOptions,
  { audit }: Admission,
  plan: Plan,
  lock: Lock,
): Promise<Result<CompletedPromotion, PlanFailure | LockFailure>> {
  const { kind, change, secrets } = plan
  if (change === null && secrets === null) {
    const noted = await audit.allowed()
    return noted.ok ? ok({ ...plan, proposed: null, secretVersion: null }) : noted
  }
  return audit.effects(
    { kind, ...namesOf(secrets) },
    () => actOn(options, audit, plan, lock),
    ({ proposed }) => (proposed === null ? {} : outcomeOf(proposed)),
  )
}

const outcomeOf = ({ pullRequest, created, updated, commit }: ProposedPullRequest) => ({
  pullRequest: pullRequest.number,
  created,
  updated,
  commit,
})

async function actOn(
  { proposals, secrets: store }: PromoteOptions,
  audit: Admission['audit'],
  plan: Plan,
  lock: Lock,
): Promise<Result<CompletedPromotion, PlanFailure | LockFailure>> {
  const { change, secrets } = plan
  let secretVersion: SecretVersion | null = null
  if (secrets !== null) {
    const written = await store.write(secrets)
    if (!written.ok) return written
    secretVersion = written.value.version
    const noted = await audit.secretsWritten(written.value)
    if (!noted.ok) return noted
    const labelled = written.value.isUnlabelled ? await store.label(secrets) : ok(undefined)
    if (!labelled.ok) return labelled
  }
  if (change === null) return ok({ ...plan, proposed: null, secretVersion })
  const proposed = await proposals.propose(change.proposal, change.to, lock)
  return proposed.ok ? ok({ ...plan, proposed: proposed.value, secretVersion }) : proposed
}

/** The files that the pull request would contain, byte for byte. Only a refusal is on record. */
export async function preview(
  options: PlanOptions,
  entityRequest: EntityRequest,
  request: PromotionRequest,
): Promise<Result<PromotionPreview, PromoteFailure>> {
  const asked = { ...askedBy(request), dryRun: true }
  const admitted = await admit(options, entityRequest, asked)
  if (!admitted.ok) return admitted
  const planned = await planMove(options, entityRequest, request, admitted.value)
  if (!planned.ok) {
    await admitted.value.audit.refused(planned.error)
    return planned
  }
  const { change } = planned.value
  if (change === null) return ok({ ...planned.value, files: [] })
  const { repository, base } = change.proposal
  const paths = change.files.map(({ path }) => path)
  const before = await currentTexts(options.gitHost, repository, base.commit, paths, FILE_BYTES_MAX)
  if (!before.ok) return before
  return ok({ ...planned.value, files: previewOf(change.files, before.value) })
}

const CONTEXT_LINES = 3

const previewOf = (files: readonly WrittenFile[], texts: Texts): readonly FilePreview[] =>
  files.map(({ path, bytes }) => {
    const content = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
    const before = texts.get(path)
    const status = before === undefined ? 'added' : before === content ? 'unchanged' : 'modified'
    const from = before === undefined ? '/dev/null' : `a/${path}`
    const diff = createTwoFilesPatch(from, `b/${path}`, before ?? '', content, '', '', {
      context: CONTEXT_LINES,
    })
    return { path, status, diff, content }
  })
