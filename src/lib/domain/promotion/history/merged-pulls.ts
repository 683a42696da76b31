import { LRUCache } from 'lru-cache'
import { readAhead } from '../../../concurrency/read-ahead.ts'
import { createSingleFlight } from '../../../concurrency/single-flight.ts'
import type { BranchName, ObjectId, RepositoryId } from '../../../names.ts'
import type { GitFailure, GitHost, PullRequest } from '../../../ports/git-host.ts'
import type { PathCommit } from '../../../ports/git-host/history.ts'
import { ok, type Result } from '../../../result.ts'
import type { OverlayCommit } from './fold.ts'
import { lastLineOf } from './path-log.ts'

const PULLS_KEPT_MAX = 20_000
/** A host may notice a merge, or the commits of a branch, some time after the push. */
const NONE_KEPT_MS = 10 * 60_000
/** Commits whose pull requests are asked for at once. */
const AHEAD = 8

interface Found {
  readonly pull: PullRequest | null
}

export type MergedPulls = ReturnType<typeof createMergedPulls>

/** The merged pull requests of commits. They never change again. */
export function createMergedPulls(
  gitHost: Pick<GitHost, 'findMergedPullRequest'>,
  repository: RepositoryId,
) {
  const kept = new LRUCache<string, Found>({ max: PULLS_KEPT_MAX })
  const flights = createSingleFlight<Result<Found, GitFailure>>()

  async function load(
    key: string,
    commit: ObjectId,
    base: BranchName,
  ): Promise<Result<Found, GitFailure>> {
    const found = await gitHost.findMergedPullRequest(repository, { commit, base })
    if (!found.ok) return found
    // Of the description the trailer is enough.
    const pull = found.value && { ...found.value, body: lastLineOf(found.value.body) }
    kept.set(key, { pull }, pull === null ? { ttl: NONE_KEPT_MS } : {})
    return ok({ pull })
  }

  async function find(base: BranchName, commit: ObjectId): Promise<Result<Found, GitFailure>> {
    const key = `${commit} ${base}`
    const found = kept.get(key)
    return found === undefined ? flights.join(key, () => load(key, commit, base)) : ok(found)
  }

  return {
    /** The commits with their pull requests, in the same order. */
    async of(
      base: BranchName,
      commits: readonly PathCommit[],
    ): Promise<Result<readonly OverlayCommit[], GitFailure>> {
      const merged: OverlayCommit[] = []
      for await (const [commit, found] of readAhead(commits, AHEAD, ({ id }) => find(base, id))) {
        if (!found.ok) return found
        merged.push({ ...commit, pull: found.value.pull })
      }
      return ok(merged)
    },
  }
}
