import type { Stage } from './pipeline.ts'
import type { Promotable } from './subject.ts'

/** Progress of a stage's overlay towards the default branch. */
export type Progress =
  | { readonly kind: 'none' }
  | { readonly kind: 'pr_open'; readonly pullRequest: number }
  /** The newest pull request was closed without a merge. */
  | { readonly kind: 'pr_closed'; readonly pullRequest: number }
  /** On the default branch. */
  | { readonly kind: 'on_main' }

export function progressOf(
  { application, pulls }: Pick<Promotable, 'application' | 'pulls'>,
  stage: Stage,
): Progress {
  const own = pulls.filter(
    ({ move }) => move.act === 'promote' && move.environment === stage.environment,
  )
  const open = own.find(({ pull }) => pull.state === 'open')
  if (open !== undefined) return { kind: 'pr_open', pullRequest: open.pull.number }
  if (application.overlays.has(stage)) return { kind: 'on_main' }
  const [last] = own
  return last?.pull.state === 'closed'
    ? { kind: 'pr_closed', pullRequest: last.pull.number }
    : { kind: 'none' }
}
