import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { SecretVersion } from '../../ports/secret-store.ts'
import { ok, type Result } from '../../result.ts'
import type { GitFailure } from '../../ports/git-host.ts'
import type { ProposedPullRequest } from '../gitops/propose.ts'
import { type Draft, draft, type DraftFailure, type DraftOptions } from './draft.ts'
import { type FilePreview, previewOf } from './preview.ts'
import type { Proposals } from './proposals.ts'
import type { PromotionRequest } from './request.ts'
import type { Secrets, SecretsFailure } from './secrets.ts'
import type { EntityRequest } from './subject.ts'
import { currentTexts } from './texts.ts'
import { namesOf } from './trail.ts'

/** Lost races against the end of an open pull request after which a request gives up. */
const ATTEMPTS_MAX = 5

export interface PromoteOptions extends DraftOptions {
  readonly secrets: Secrets
  readonly proposals: Pick<Proposals, 'propose'>
}

export type PromoteFailure = DraftFailure | DatabaseFailure

export interface CompletedPromotion extends Draft, Effects {}

interface Effects {
  /** `null` when there is nothing to propose. */
  readonly proposed: ProposedPullRequest | null
  readonly secretVersion: SecretVersion | null
}

export interface PromotionPreview extends Draft {
  readonly files: readonly FilePreview[]
}

/**
 * Writes the secrets, then the branch, then the pull request of a draft. A repeated request finds each of them. The request is decided
 * anew if its open pull request ended meanwhile, by a merge perhaps.
 */
export async function promote(
  options: PromoteOptions,
  entityRequest: EntityRequest,
  request: PromotionRequest,
): Promise<Result<CompletedPromotion, PromoteFailure>> {
  const decision = options.audit.decide(entityRequest.principal)
  for (let attempt = 1; ; attempt++) {
    const drafted = await draft(options, entityRequest, request, {}, decision)
    const tried = drafted.ok ? await perform(options, drafted.value) : drafted
    if (tried.ok) return tried
    if (drafted.ok && isOutdated(drafted.value, tried.error) && attempt < ATTEMPTS_MAX) continue
    // The row is still open after a lost race.
    await decision.abandon(tried.error.kind)
    return tried
  }
}

const isOutdated = ({ subject: { branch } }: Draft, failure: PromoteFailure): boolean =>
  failure.kind === 'git_conflict' && failure.branch === branch

async function perform(
  options: PromoteOptions,
  drafted: Draft,
): Promise<Result<CompletedPromotion, PromoteFailure>> {
  const { trail, kind, change, secrets } = drafted
  if (change === null && secrets === null) {
    const noted = await trail.allowed()
    return noted.ok ? ok({ ...drafted, proposed: null, secretVersion: null }) : noted
  }
  const done = await trail.effects(
    { kind, ...namesOf(secrets) },
    () => actOn(options, drafted),
    ({ proposed }) => (proposed === null ? {} : outcomeOf(proposed)),
    (failure) => isOutdated(drafted, failure),
  )
  return done.ok ? ok({ ...drafted, ...done.value }) : done
}

const outcomeOf = ({ pullRequest, created, updated, commit }: ProposedPullRequest) => ({
  pullRequest: pullRequest.number,
  created,
  updated,
  commit,
})

async function actOn(
  { proposals, secrets: store }: PromoteOptions,
  { change, secrets, trail }: Draft,
): Promise<Result<Effects, SecretsFailure | GitFailure | DatabaseFailure>> {
  let secretVersion: SecretVersion | null = null
  if (secrets !== null) {
    const written = await store.write(secrets)
    if (!written.ok) return written
    secretVersion = written.value.version
    const noted = await trail.secretsWritten(written.value)
    if (!noted.ok) return noted
    const labelled = written.value.isUnlabelled ? await store.label(secrets) : ok(undefined)
    if (!labelled.ok) return labelled
  }
  if (change === null) return ok({ proposed: null, secretVersion })
  const proposed = await proposals.propose(change.proposal, change.standing)
  return proposed.ok ? ok({ proposed: proposed.value, secretVersion }) : proposed
}

/** The files that the pull request would contain, byte for byte. Only a refusal is on record. */
export async function preview(
  options: DraftOptions,
  entityRequest: EntityRequest,
  request: PromotionRequest,
): Promise<Result<PromotionPreview, PromoteFailure>> {
  const drafted = await draft(options, entityRequest, request, { dryRun: true })
  if (!drafted.ok) return drafted
  const { change } = drafted.value
  if (change === null) return ok({ ...drafted.value, files: [] })
  const { repository, base, paths, maxBytes } = change.proposal
  const before = await currentTexts(options.gitHost, repository, base.commit, paths, maxBytes)
  if (!before.ok) return before
  return ok({ ...drafted.value, files: previewOf(change.files, before.value) })
}
