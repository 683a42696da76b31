import type { AnswerOf } from '../../../api/call.ts'
import { type MoveOutcome, pullRequestOf } from './when-moved.ts'

type Answered = AnswerOf<'post', '/api/v1/catalog/entities/{kind}/{name}/promotion'>
export type PreviewValue = Extract<Answered, { allowed: boolean }>
/** The end of a proposal, as far as it is shown. */
export type Outcome = Pick<
  Exclude<Answered, { allowed: boolean } | { runId: string }>,
  'kind' | 'status' | 'created' | 'updated' | 'environment' | 'pullRequest' | 'secrets' | 'warnings'
>

export const isPreview = (answer: object): answer is PreviewValue => 'allowed' in answer

/** The outcome of a proposal that had to wait. */
export const outcomeOfMove = (
  { kind, status, ...pull }: MoveOutcome,
  { environment }: Pick<Outcome, 'environment'>,
): Outcome => ({
  kind: kind === 'confirmation' ? 'promotion' : kind,
  status: status === 'ready_to_confirm' || status === 'secrets_written' ? status : 'pr_open',
  created: true,
  updated: false,
  environment,
  pullRequest: pullRequestOf(pull),
  secrets: null,
  warnings: [],
})

type Confirming = AnswerOf<'post', '/api/v1/catalog/entities/{kind}/{name}/promotion/confirm'>

/** The end of a confirmation, as far as it is shown. */
export type Confirmed =
  | Pick<Extract<Confirming, { lifecycle: string }>, 'status' | 'lifecycle'>
  | Extract<Confirming, { pullRequest: object }>

/** The same of one that had to wait. */
export function confirmedByMove(
  outcome: MoveOutcome,
  { targetLifecycle: lifecycle }: { readonly targetLifecycle: string },
): Confirmed {
  const pullRequest = pullRequestOf(outcome)
  if (pullRequest !== null) return { status: 'lifecycle_pr_open', pullRequest }
  const isOld = outcome.status === 'already_confirmed'
  return { status: isOld ? 'already_confirmed' : 'confirmed', lifecycle }
}

/** The end of an act in a few words: a heading, and what is announced. */
export function outcomeTitle({ status, pullRequest, created, updated }: Outcome): string {
  if (status === 'secrets_written') return 'Secrets written'
  if (pullRequest === null) return 'Already merged'
  const number = `Pull request #${pullRequest.number}`
  if (created) return `${number} is open`
  return updated ? `${number} is updated` : `${number} already has these changes`
}

/** The steps after an act, and who takes them. */
export function nextSteps(
  { kind, status, environment }: Outcome,
  confirmers: readonly string[] | null,
): readonly string[] {
  if (status === 'secrets_written') return ['There is no pull request to merge.']
  const live = `It goes live in ${environment} when it is merged.`
  const confirm =
    confirmers === null ? live : `Then ${confirmers.join(' or ')} confirms ${environment} here.`
  if (status === 'ready_to_confirm') return [confirm]
  const review = 'Review and merge happen at the git host.'
  switch (kind) {
    case 'promotion':
      return [review, confirm]
    case 'release':
      return [review, live]
    case 'deprecation':
      return [review, 'Merging deprecates it. What runs keeps running.']
  }
}
