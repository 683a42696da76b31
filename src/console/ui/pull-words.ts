import type { components } from '../api/schema.gen.ts'

type OpenPullRequest = components['schemas']['PromotionState']['pullRequests'][number]

/** Facts of the git host about an open pull request. */
type Facts = Pick<OpenPullRequest, 'checks' | 'review' | 'draft' | 'queued'> &
  Partial<Pick<OpenPullRequest, 'mergeable'>>

/** Conditions and faults of an open pull request in words, the most urgent first. */
export function pullWords({ draft, queued, mergeable, checks, review }: Facts): readonly string[] {
  const said = [
    draft === true && 'draft',
    queued === true && 'in the merge queue',
    mergeable === 'conflicting' && 'has conflicts',
    checks === 'failing' && 'checks fail',
    checks === 'pending' && 'checks run',
    review === 'changes_requested' && 'changes requested',
    review === 'required' && 'waits for a review',
    review === 'approved' && 'approved',
  ].filter((words) => words !== false)
  return said.length === 0 && mergeable === 'clean' ? ['can be merged'] : said
}

/** Whether somebody has to change it. */
export const isStuck = ({ mergeable, checks, review }: Facts): boolean =>
  mergeable === 'conflicting' || checks === 'failing' || review === 'changes_requested'
