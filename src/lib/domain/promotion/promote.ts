import type { InTurn } from '../../concurrency/queue.ts'
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

export interface PromoteOptions extends DraftOptions {
  readonly secrets: Secrets
  readonly proposals: Pick<Proposals, 'propose'>
  /** Serialises the proposals of an application. */
  readonly inTurn: InTurn
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

/** Writes the secrets, then the branch, then the pull request of a draft. A repeated request finds each of them. */
export async function promote(
  options: PromoteOptions,
  entityRequest: EntityRequest,
  request: PromotionRequest,
): Promise<Result<CompletedPromotion, PromoteFailure>> {
  const drafted = await draft(options, entityRequest, request)
  if (!drafted.ok) return drafted
  const { trail, kind, change, secrets } = drafted.value
  if (change === null && secrets === null) {
    const noted = await trail.allowed()
    return noted.ok ? ok({ ...drafted.value, proposed: null, secretVersion: null }) : noted
  }
  const done = await trail.effects(
    { kind, ...namesOf(secrets) },
    () => actOn(options, drafted.value),
    ({ proposed }) => (proposed === null ? {} : outcomeOf(proposed)),
  )
  return done.ok ? ok({ ...drafted.value, ...done.value }) : done
}

const outcomeOf = ({ pullRequest, created, updated, commit }: ProposedPullRequest) => ({
  pullRequest: pullRequest.number,
  created,
  updated,
  commit,
})

async function actOn(
  { proposals, secrets: store, inTurn }: PromoteOptions,
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
  const { proposal, standing } = change
  const { team, app } = proposal.move
  const proposed = await inTurn(`${team}/${app}`, () => proposals.propose(proposal, standing))
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
  const onMain = await currentTexts(options.gitHost, repository, base.commit, paths, maxBytes)
  if (!onMain.ok) return onMain
  return ok({ ...drafted.value, files: previewOf(change.files, onMain.value) })
}
