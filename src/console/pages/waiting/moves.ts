import type { AnswerOf } from '../../api/call.ts'
import type { Confirmed } from '../entity/acts/outcome-words.ts'
import { visible } from '../../ui/visible.ts'

export type Move = AnswerOf<'get', '/api/v1/promotions'>[number]

export interface MoveGroup {
  readonly id: 'yours' | 'confirm' | 'review'
  readonly title: string
  readonly moves: readonly Move[]
}

/** Moves that the person can make come first. Groups without moves are left out. */
export function groupMoves(moves: readonly Move[]): readonly MoveGroup[] {
  const groups: readonly MoveGroup[] = [
    { id: 'yours', title: 'For you to confirm', moves: moves.filter((move) => move.canConfirm) },
    {
      id: 'confirm',
      title: 'For somebody else to confirm',
      moves: moves.filter(({ waitsFor, canConfirm }) => waitsFor === 'confirm' && !canConfirm),
    },
    {
      id: 'review',
      title: 'For a review of its pull request',
      moves: moves.filter(({ waitsFor }) => waitsFor === 'review'),
    },
  ]
  return groups.filter((group) => group.moves.length > 0)
}

export const nameOf = ({ entity, app }: Move): string =>
  visible(entity?.title ?? entity?.name ?? app)

/** The environment that a move leads to, or else the lifecycle. */
export const placeOf = ({ environment, targetLifecycle }: Move): string =>
  environment ?? targetLifecycle ?? ''

/** `Release to staging`. A kind that a newer server sends is shown as it is. */
export function moveWords(move: Move): string {
  const { kind, environment, targetLifecycle } = move
  switch (kind) {
    case 'scaffold':
      return 'New project'
    case 'promotion':
      return `Promotion to ${placeOf(move)}`
    case 'release':
      return `Release to ${placeOf(move)}`
    case 'deprecation':
      return 'Deprecation'
    case 'lifecycle':
      return `Lifecycle to ${targetLifecycle ?? environment}`
    default:
      return kind
  }
}

/** Why a confirmation is not the person's to give, and whom to ask. */
export const confirmReason = ({ canConfirm, requires }: Move): string | undefined =>
  canConfirm ? undefined : `Somebody of ${requires.join(' or ')} has to confirm it`

export function confirmedWords(name: string, outcome: Confirmed): string {
  if (outcome.status !== 'lifecycle_pr_open') return `${name} is in ${outcome.lifecycle} now`
  const { number } = outcome.pullRequest
  return `The default branch is protected: pull request #${number} confirms ${name} when it is merged`
}
