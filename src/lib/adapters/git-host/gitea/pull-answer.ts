import { Type, type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { BranchName, ObjectId } from '../../../names.ts'
import type { PullRequest } from '../../../ports/git-host.ts'
import { Nullable } from '../../../schema/nullable.ts'

const Side = Type.Object({
  /** The branch. `ref` becomes `refs/pull/<n>/head` when the branch is gone. */
  label: Type.Optional(Type.String()),
  ref: Type.String(),
  sha: Type.String(),
  repo_id: Type.Optional(Type.Integer()),
})

const Pull = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  title: Type.String(),
  body: Type.Optional(Nullable(Type.String())),
  html_url: Type.String(),
  state: Type.Enum(['open', 'closed']),
  merged: Type.Optional(Type.Boolean()),
  merged_at: Type.Optional(Nullable(Type.String())),
  merge_commit_sha: Type.Optional(Nullable(Type.String())),
  mergeable: Type.Optional(Nullable(Type.Boolean())),
  created_at: Type.String(),
  updated_at: Type.Optional(Nullable(Type.String())),
  closed_at: Type.Optional(Nullable(Type.String())),
  user: Type.Optional(Nullable(Type.Object({ login: Type.String() }))),
  head: Side,
  base: Side,
})
const isPull = Compile(Pull)

/** Gitea says `mergeable: false` while it computes, too. */
const COMPUTED_AFTER_MS = 60_000

export interface ReadPull {
  readonly pull: PullRequest
  /** The proposed branch is in another repository, under a name that anybody can choose. */
  readonly isFromFork: boolean
}

/** Returns `undefined` for an answer without the documented members. */
export function readPull(json: unknown, now: number): ReadPull | undefined {
  if (!isPull.Check(json)) return undefined
  const head = headOf(json.head)
  const base = BranchName.parse(json.base.ref)
  const createdAt = time(json.created_at)
  if (head === undefined || base === undefined || createdAt === null) return undefined
  const isMerged = json.merged === true || time(json.merged_at) !== null
  const state = isMerged ? 'merged' : json.state
  return {
    isFromFork: (json.head.repo_id ?? json.base.repo_id) !== json.base.repo_id,
    pull: {
      number: json.number,
      title: json.title,
      body: json.body ?? '',
      url: json.html_url,
      state,
      head,
      base,
      mergeable: state === 'open' ? mergeability(json, now) : 'unknown',
      createdBy: json.user?.login ?? 'unknown',
      createdAt,
      closedAt: state === 'open' ? null : (time(json.merged_at) ?? time(json.closed_at)),
      mergeCommit: isMerged ? (ObjectId.parse(json.merge_commit_sha) ?? null) : null,
    },
  }
}

function headOf({ label, ref, sha }: Static<typeof Side>): PullRequest['head'] | undefined {
  const branch = BranchName.parse(label) ?? BranchName.parse(ref)
  const commit = ObjectId.parse(sha)
  return branch && commit && { branch, commit }
}

function mergeability(
  { mergeable, updated_at, created_at }: Static<typeof Pull>,
  now: number,
): PullRequest['mergeable'] {
  if (mergeable === true) return 'clean'
  const changedAt = time(updated_at) ?? time(created_at) ?? now
  return mergeable === false && now - changedAt > COMPUTED_AFTER_MS ? 'conflicting' : 'unknown'
}

function time(text: string | null | undefined): number | null {
  const parsed = Date.parse(text ?? '')
  return Number.isNaN(parsed) ? null : parsed
}
