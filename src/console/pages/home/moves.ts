import type { AnswerOf } from '../../api/call.ts'
import type { Confirmed } from '../entity/acts/outcome-words.ts'
import { visible } from '../../ui/visible.ts'

export type Move = AnswerOf<'get', '/api/v1/promotions'>[number]

export const nameOf = ({ entity, app }: Move): string =>
  visible(entity?.title ?? entity?.name ?? app)

/** The environment that a move leads to, or else the lifecycle. */
export const placeOf = ({ environment, targetLifecycle }: Move): string =>
  environment ?? targetLifecycle ?? ''

/** `release to staging`. A kind that a newer server sends is shown as it is. */
export function moveWords(move: Move): string {
  const { kind, environment, targetLifecycle } = move
  switch (kind) {
    case 'scaffold':
      return 'new project'
    case 'promotion':
      return `promote to ${placeOf(move)}`
    case 'release':
      return `release to ${placeOf(move)}`
    case 'deprecation':
      return 'deprecate'
    case 'lifecycle':
      return `lifecycle to ${targetLifecycle ?? environment}`
    default:
      return kind
  }
}

/** Why a confirmation is not the person's to give, and whom to ask. */
export const confirmReason = ({ canConfirm, requires }: Move): string | undefined =>
  canConfirm ? undefined : `Needs ${requires.join(' or ')}`

export function confirmedWords(name: string, outcome: Confirmed): string {
  return outcome.status === 'lifecycle_pr_open'
    ? `Merging pull request #${outcome.pullRequest.number} confirms ${name}`
    : `${name} is in ${outcome.lifecycle}`
}
