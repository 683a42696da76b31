import { LRUCache } from 'lru-cache'
import type { ObjectId, RepositoryId } from '../../names.ts'
import type { Commit, GitFailure, GitHost } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'

/** Enough for a count in a warning: our own commits are one per request. */
export const COMMITS_MAX = 100
const KNOWN_MAX = 2_000

/**
 * The commit of the default branch that a branch began at, or was last brought up to: its merge base. `own`: its commits that the
 * default branch has not, newest first. `undefined` if not all of them were listed.
 */
export function beginningOf(
  head: ObjectId,
  own: readonly Pick<Commit, 'id' | 'parents'>[],
  limit = COMMITS_MAX,
): ObjectId | undefined {
  if (own.length === 0) return head
  if (own.length >= limit) return undefined
  const ids = new Set(own.map(({ id }) => id))
  return own.flatMap(({ parents }) => parents).find((parent) => !ids.has(parent))
}

export type Beginnings = ReturnType<typeof createBeginnings>

/** Remembers where open branches began, which changes with their last commit alone: a branch that is merged is not open. */
export function createBeginnings(gitHost: Pick<GitHost, 'listCommits'>, repository: RepositoryId) {
  const known = new LRUCache<ObjectId, ObjectId>({ max: KNOWN_MAX })
  return async (
    of: ObjectId,
    without: ObjectId,
  ): Promise<Result<ObjectId | undefined, GitFailure>> => {
    const before = known.get(of)
    if (before !== undefined) return ok(before)
    const own = await gitHost.listCommits(repository, { of, without, limit: COMMITS_MAX })
    if (!own.ok) return own
    const beginning = beginningOf(of, own.value)
    if (beginning !== undefined) known.set(of, beginning)
    return ok(beginning)
  }
}
