import { LRUCache } from 'lru-cache'
import { createSingleFlight } from '../../../concurrency/single-flight.ts'
import type { ObjectId, RepositoryId, RepositoryPath } from '../../../names.ts'
import type { Commit, GitFailure, GitHost } from '../../../ports/git-host.ts'
import { ok, type Result } from '../../../result.ts'
import { lastLineOf } from '../../gitops/trailer.ts'

/** Newest commits of an environment that are read; what is older is left out. */
export const COMMITS_MAX = 300
/** Commits in memory, of some hundred bytes each. */
const COMMITS_KEPT_MAX = 50_000

export type OverlayLog = ReturnType<typeof createOverlayLog>

/** Reads the commits that changed any of these folders, newest first. The history of a commit never changes, so it is kept. */
export function createOverlayLog(gitHost: Pick<GitHost, 'listCommits'>, repository: RepositoryId) {
  const kept = new LRUCache<string, readonly Commit[]>({
    maxSize: COMMITS_KEPT_MAX,
    sizeCalculation: (commits) => commits.length + 1,
  })
  const flights = createSingleFlight<Result<readonly Commit[], GitFailure>>()

  return async (
    of: ObjectId,
    paths: readonly RepositoryPath[],
    limit = COMMITS_MAX,
  ): Promise<Result<readonly Commit[], GitFailure>> => {
    const key = `${of} ${limit} ${paths.join(' ')}`
    const known = kept.get(key)
    if (known !== undefined) return ok(known)
    return flights.join(key, async () => {
      const listed = await gitHost.listCommits(repository, { of, paths, limit })
      if (!listed.ok) return listed
      // Only the trailer of a message is read.
      const commits = listed.value.map((each) => ({ ...each, message: lastLineOf(each.message) }))
      kept.set(key, commits)
      return ok(commits)
    })
  }
}
