import { type Static, Type } from 'typebox'
import { BranchName, ObjectId, type RepositoryId } from '../../../names.ts'
import type { PullRequest } from '../../../ports/git-host.ts'
import { Nullable } from '../../../schema/nullable.ts'
import { answerReader, Maybe } from './api/answer-reader.ts'
import { nameOf } from './known-repositories.ts'

const Side = Type.Object({
  /** GitHub: the owner and the branch. Gitea: the branch, also when it is gone and `ref` is `refs/pull/<n>/head`. */
  label: Maybe(Type.String()),
  ref: Type.String(),
  /** Gitea: empty without the branch, or without the ref of the pull request. */
  sha: Type.String(),
  /** `null` once a fork is deleted. */
  repo: Maybe(Type.Object({ full_name: Type.String() })),
  /** Gitea alone. */
  repo_id: Type.Optional(Type.Integer()),
})

/** A pull request, as GitHub and Gitea describe it. */
const Pull = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  title: Type.String(),
  body: Maybe(Type.String()),
  html_url: Type.String(),
  state: Type.Enum(['open', 'closed']),
  head: Side,
  base: Side,
  user: Maybe(Type.Object({ login: Type.String() })),
  created_at: Type.String(),
  updated_at: Maybe(Type.String()),
  closed_at: Maybe(Type.String()),
  merged: Type.Optional(Type.Boolean()),
  merged_at: Maybe(Type.String()),
  merge_commit_sha: Maybe(Type.String()),
  /** Absent from GitHub's lists; `null` when the account is gone. */
  merged_by: Maybe(Type.Object({ login: Type.String() })),
  /** Absent from GitHub's lists; `null` until GitHub has computed it. */
  mergeable: Maybe(Type.Boolean()),
  draft: Maybe(Type.Boolean()),
})
export type PullAnswer = Static<typeof Pull>
/** Forgejo, and Gitea before 1.23, list `null` for one that they cannot read (`routers/api/v1/repo/pull.go`). */
export const readPulls = answerReader('pull requests', Type.Array(Nullable(Pull)))

export interface PullReading {
  readonly repository: RepositoryId
  readonly now: number
  /** Time after a change in which `mergeable: false` can mean that the host has not computed it yet. */
  readonly settlingMs: number
}

/** `null`: the proposed branch is one of a fork or has no commit, or a name is no `BranchName`. */
export function toPullRequest(answer: PullAnswer, reading: PullReading): PullRequest | null {
  const branch = BranchName.parse(answer.head.label) ?? BranchName.parse(answer.head.ref)
  const base = BranchName.parse(answer.base.ref)
  const commit = ObjectId.parse(answer.head.sha)
  const createdAt = timeOf(answer.created_at)
  if (branch === undefined || base === undefined || commit === undefined) return null
  if (createdAt === null) return null
  if (!isOwnBranch(answer, reading.repository)) return null
  const mergedAt = timeOf(answer.merged_at)
  const state = answer.merged === true || mergedAt !== null ? 'merged' : answer.state
  return {
    number: answer.number,
    title: answer.title,
    body: answer.body ?? '',
    url: answer.html_url,
    state,
    head: { branch, commit },
    base,
    mergeable: state === 'open' ? mergeableOf(answer, reading) : 'unknown',
    ...(typeof answer.draft === 'boolean' && { draft: answer.draft }),
    createdBy: answer.user?.login ?? 'ghost',
    createdAt,
    closedAt: state === 'open' ? null : (mergedAt ?? timeOf(answer.closed_at)),
    // An open one has that of a merge which GitHub tried.
    mergeCommit: state === 'merged' ? (ObjectId.parse(answer.merge_commit_sha) ?? null) : null,
    mergedBy: state === 'merged' ? (answer.merged_by?.login ?? null) : null,
  }
}

/** A branch of a fork may have any name, also one of ours. */
function isOwnBranch({ head, base }: PullAnswer, repository: RepositoryId): boolean {
  if (head.repo_id !== undefined) return head.repo_id === base.repo_id
  if (head.repo === null) return false
  if (head.repo === undefined) {
    const [owner, branch] = head.label?.split(':') ?? []
    return branch === undefined || owner?.toLowerCase() === repository.owner.toLowerCase()
  }
  const own = base.repo?.full_name ?? nameOf(repository)
  return head.repo.full_name.toLowerCase() === own.toLowerCase()
}

function mergeableOf(
  { mergeable, updated_at: updatedAt, created_at: createdAt }: PullAnswer,
  { now, settlingMs }: PullReading,
): PullRequest['mergeable'] {
  if (mergeable === true) return 'clean'
  const age = now - (timeOf(updatedAt) ?? timeOf(createdAt) ?? now)
  return mergeable === false && (settlingMs === 0 || age > settlingMs) ? 'conflicting' : 'unknown'
}

export function timeOf(text: string | null | undefined): number | null {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) ? null : time
}
