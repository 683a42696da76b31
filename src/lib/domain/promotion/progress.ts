import type { BranchName } from '../../names.ts'
import type { GitFailure } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import { numbersIn } from '../gitops/branches.ts'
import { branchNameOf, isPullOf, moveTo, openPull } from './move.ts'
import type { Stage } from './pipeline.ts'
import type { PromotionDeps } from './dependencies.ts'
import type { Promotable } from './subject.ts'

/** Progress of a stage's overlay towards the default branch. */
export type Progress =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'pr_open'
      readonly pullRequest: number
      /** Whether the default branch has an overlay already, which the pull request changes. */
      readonly hasOverlay: boolean
    }
  /** The newest pull request was closed without a merge. */
  | { readonly kind: 'pr_closed'; readonly pullRequest: number }
  /** On the default branch. */
  | { readonly kind: 'on_main' }

/** The progress as far as open pull requests and the default branch tell. */
export function progressOf(
  { application, pulls }: Pick<Promotable, 'application' | 'pulls'>,
  stage: Stage,
): Exclude<Progress, { kind: 'pr_closed' }> {
  return progressFrom(application.overlays.has(stage), openPull(pulls, stage)?.number)
}

/** `open`: the number of the open pull request. */
export function progressFrom(
  hasOverlay: boolean,
  open: number | undefined,
): Exclude<Progress, { kind: 'pr_closed' }> {
  if (open !== undefined) return { kind: 'pr_open', pullRequest: open, hasOverlay }
  return hasOverlay ? { kind: 'on_main' } : { kind: 'none' }
}

export const isOnMain = (progress: Progress): boolean =>
  progress.kind === 'on_main' || (progress.kind === 'pr_open' && progress.hasOverlay)

/** The progress, closed pull requests included. The host is asked only about a stage that has nothing else. */
export async function readProgress(
  { gitHost, repository }: PromotionDeps,
  base: BranchName,
  promotable: Promotable,
  stage: Stage,
): Promise<Result<Progress, GitFailure>> {
  const known = progressOf(promotable, stage)
  if (known.kind !== 'none') return ok(known)
  const move = moveTo(promotable, stage)
  const name = branchNameOf(move)
  const newestOf = (head: BranchName) =>
    gitHost.findPullRequests(repository, { head, base, limit: 1 })
  const [branches, first] = await Promise.all([
    gitHost.listBranches(repository, name),
    // A deleted branch leaves its pull requests behind.
    newestOf(name),
  ])
  if (!branches.ok) return branches
  const head = numbersIn(branches.value, name).highest ?? name
  const found = head === name ? first : await newestOf(head)
  if (!found.ok) return found
  const [last] = found.value
  const isClosed = last?.state === 'closed' && isPullOf(last, move)
  return ok(isClosed ? { kind: 'pr_closed', pullRequest: last.number } : known)
}
