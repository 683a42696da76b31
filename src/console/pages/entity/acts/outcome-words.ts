import type { AnswerOf } from '../../../api/call.ts'

type Answered = AnswerOf<'post', '/api/v1/catalog/entities/{kind}/{name}/promotion'>
export type PreviewValue = Extract<Answered, { allowed: boolean }>
export type Outcome = Exclude<Answered, { allowed: boolean }>

export const isPreview = (answer: Answered): answer is PreviewValue => 'allowed' in answer

/** The end of an act in a few words: a heading, and what is announced. */
export function outcomeTitle({ status, pullRequest, created, updated }: Outcome): string {
  if (status === 'secrets_written') return 'The secrets are written'
  if (pullRequest === null) return 'The overlay is merged already'
  const number = `Pull request #${pullRequest.number}`
  if (created) return `${number} is open`
  return updated ? `${number} is updated` : `${number} has all of this already`
}

/** What happens next, and who does it. */
export function nextStep(
  { kind, status, environment, targetLifecycle }: Outcome,
  requires: readonly string[],
): string {
  const who = requires.length === 0 ? 'somebody' : `a member of ${requires.join(' or ')}`
  if (status === 'secrets_written') return 'There is no pull request: nothing else has changed.'
  if (status === 'ready_to_confirm') return `Next, ${who} confirms ${environment} here.`
  switch (kind) {
    case 'promotion':
      return `Next, it is reviewed and merged at the git host. Then ${who} confirms ${environment} here, which makes the lifecycle ${targetLifecycle}.`
    case 'release':
      return `Next, it is reviewed and merged at the git host. Merged is live in ${environment}; there is nothing to confirm.`
    case 'deprecation':
      return 'Next, it is reviewed and merged at the git host. The overlays stay as they are.'
  }
}
