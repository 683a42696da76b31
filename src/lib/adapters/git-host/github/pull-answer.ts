import { BranchName, ObjectId, type RepositoryId } from '../../../names.ts'
import type { PullRequest, PullRequestState } from '../../../ports/git-host.ts'
import type { PullAnswer } from './answers.ts'
import { nameOf } from './known-repositories.ts'

/** `null`: the proposed branch is not one of this repository, but of a fork, or its name is no `BranchName`. */
export function toPullRequest(answer: PullAnswer, repository: RepositoryId): PullRequest | null {
  const branch = BranchName.parse(answer.head.ref)
  const base = BranchName.parse(answer.base.ref)
  const createdAt = Date.parse(answer.created_at)
  if (branch === undefined || base === undefined || Number.isNaN(createdAt)) return null
  if (!isOwnBranch(answer, repository)) return null
  const state = stateOf(answer)
  return {
    number: answer.number,
    title: answer.title,
    body: answer.body ?? '',
    url: answer.html_url,
    state,
    head: { branch, commit: answer.head.sha },
    base,
    mergeable: state === 'open' ? mergeableOf(answer) : 'unknown',
    createdBy: answer.user?.login ?? 'ghost',
    createdAt,
    closedAt: Date.parse(answer.closed_at ?? answer.merged_at ?? '') || null,
    // Of an open one it is a merge that GitHub tried.
    mergeCommit: state === 'merged' ? (ObjectId.parse(answer.merge_commit_sha) ?? null) : null,
  }
}

/** A branch of a fork may have any name, also one of ours. The repository of a head is `null` once the fork is deleted. */
function isOwnBranch({ head, base }: PullAnswer, repository: RepositoryId): boolean {
  if (head.repo === null) return false
  if (head.repo === undefined) {
    const [owner] = head.label?.split(':') ?? []
    return owner === undefined || owner.toLowerCase() === repository.owner.toLowerCase()
  }
  const own = base.repo?.full_name ?? nameOf(repository)
  return head.repo.full_name.toLowerCase() === own.toLowerCase()
}

function stateOf({ state, merged, merged_at: mergedAt }: PullAnswer): PullRequestState {
  if (mergedAt || merged === true) return 'merged'
  return state
}

function mergeableOf({ mergeable }: PullAnswer): PullRequest['mergeable'] {
  if (mergeable === true) return 'clean'
  return mergeable === false ? 'conflicting' : 'unknown'
}
