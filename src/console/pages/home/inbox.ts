import type { AnswerOf } from '../../api/call.ts'
import type { components } from '../../api/schema.gen.ts'
import { isStuck } from '../../ui/pull-words.ts'
import { visible } from '../../ui/visible.ts'
import type { Confirmed } from '../entity/acts/outcome-words.ts'
import type { Run } from '../new/steps.ts'

/** Something that one person has to do next. */
export type InboxItem =
  | { readonly kind: 'confirm' | 'review' | 'mend'; readonly move: Move }
  | { readonly kind: 'run'; readonly run: Run }

export interface Inbox {
  readonly yours: readonly InboxItem[]
  /** Moves that wait for others. */
  readonly others: readonly Move[]
}

type Person = Pick<components['schemas']['Session'], 'subject' | 'platform'>

/** A failed run that nobody has looked at for so long will not be looked at. */
const RUN_IS_OLD_AFTER_MS = 14 * 24 * 60 * 60 * 1_000

/** The inbox of a person: confirmations and reviews that wait, own pull requests that are stuck, own runs that failed. */
export function inboxOf(
  moves: readonly Move[],
  runs: readonly Run[],
  { person, now }: { readonly person: Person; readonly now: number },
): Inbox {
  const sorted = moves.map((move) => ({ move, kind: turnOf(move, person) }))
  return {
    yours: [
      ...sorted.flatMap(({ move, kind }) => (kind === null ? [] : [{ kind, move }])),
      ...failedRuns(runs, person, now).map((run) => ({ kind: 'run' as const, run })),
    ],
    others: sorted.flatMap(({ move, kind }) => (kind === null ? [move] : [])),
  }
}

function turnOf(move: Move, { subject, platform }: Person): 'confirm' | 'review' | 'mend' | null {
  const { canConfirm, waitsFor, pullRequest, askedBy } = move
  if (canConfirm) return 'confirm'
  if (waitsFor !== 'review' || pullRequest === null) return null
  const isOwn = askedBy?.subject === subject
  const { draft, queued } = pullRequest
  if (isStuck(pullRequest)) return isOwn ? 'mend' : null
  // Nobody reviews their own change.
  return platform && !isOwn && draft !== true && queued !== true ? 'review' : null
}

/** The newest run of each project, where it failed: a later one that succeeded has mended the earlier. */
function failedRuns(runs: readonly Run[], { subject }: Person, now: number): readonly Run[] {
  const newest = new Map<string, Run>()
  for (const run of runs) {
    const project = `${run.team}/${run.appName}`
    if (!newest.has(project)) newest.set(project, run)
  }
  return [...newest.values()].filter(
    ({ status, createdBy, createdAt }) =>
      status === 'failed' &&
      createdBy.subject === subject &&
      now - Date.parse(createdAt) < RUN_IS_OLD_AFTER_MS,
  )
}

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
