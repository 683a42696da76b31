import { LRUCache } from 'lru-cache'
import { createLru } from '../../../concurrency/lru.ts'
import { allAhead } from '../../../concurrency/read-ahead.ts'
import { createSingleFlight } from '../../../concurrency/single-flight.ts'
import type { BranchName, ObjectId, RepositoryId } from '../../../names.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Commit, GitFailure, GitHost, PullRequest } from '../../../ports/git-host.ts'
import { ok, type Result } from '../../../result.ts'
import type { ApplicationId } from '../../gitops/application.ts'
import { overlayFolder } from '../../gitops/overlay.ts'
import { lastLineOf } from '../../gitops/trailer.ts'

/** Newest commits of an environment that are read; what is older is left out. */
export const COMMITS_MAX = 300
/** Commits in memory, of some hundred bytes each. */
const COMMITS_KEPT_MAX = 50_000

/** Reads the commits that changed overlay folders of an application, newest first. */
export function createOverlayLog(gitHost: Pick<GitHost, 'listCommits'>, repository: RepositoryId) {
  const logs = new LRUCache<string, readonly Commit[]>({
    maxSize: COMMITS_KEPT_MAX,
    sizeCalculation: (commits) => commits.length + 1,
  })
  const flights = createSingleFlight<Result<readonly Commit[], GitFailure>>()

  return async (
    of: ObjectId,
    { team, app }: ApplicationId,
    folders: readonly string[],
    limit = COMMITS_MAX,
  ): Promise<Result<readonly Commit[], GitFailure>> => {
    const paths = folders.map((folder) => overlayFolder(team, app, folder))
    const key = `${of} ${paths.join(' ')} ${limit}`
    const known = logs.get(key)
    if (known !== undefined) return ok(known)
    return flights.join(key, async () => {
      const listed = await gitHost.listCommits(repository, { of, paths, limit })
      if (!listed.ok) return listed
      // Only the trailer of a message is read.
      const commits = listed.value.map((each) => ({ ...each, message: lastLineOf(each.message) }))
      logs.set(key, commits)
      return ok(commits)
    })
  }
}

/** A commit of the default branch that changed the overlay, and the merged pull request that it is of. */
export interface OverlayCommit extends Commit {
  readonly pull: PullRequest | null
}

const PULLS_KEPT_MAX = 20_000
/** A host may notice a merge some time after the push: that a commit has no pull request is asked again after these times, then believed. */
const ASKED_AGAIN_AFTER_MS = [30_000, 10 * 60_000]
/** Commits whose pull requests are asked for at once. */
const AHEAD = 8

interface Found {
  readonly pull: PullRequest | null
  readonly believedUntil: number
  /** Number of times that the host knew none. */
  readonly nones: number
}

export type MergedPulls = ReturnType<typeof createMergedPulls>

/** The merged pull requests of commits. They never change again. */
export function createMergedPulls(
  gitHost: Pick<GitHost, 'findMergedPullRequest'>,
  repository: RepositoryId,
  clock: Clock,
) {
  const kept = createLru<string, Found>(PULLS_KEPT_MAX)
  const flights = createSingleFlight<Result<Found, GitFailure>>()

  async function find(base: BranchName, commit: ObjectId): Promise<Result<Found, GitFailure>> {
    const key = `${commit} ${base}`
    const before = kept.get(key)
    if (before !== undefined && clock.now() < before.believedUntil) return ok(before)
    return flights.join(key, async () => {
      const found = await gitHost.findMergedPullRequest(repository, { commit, base })
      if (!found.ok) return found
      // Only the trailer of the description is read.
      const pull = found.value && { ...found.value, body: lastLineOf(found.value.body) }
      const nones = (before?.nones ?? 0) + (pull === null ? 1 : 0)
      const pauseMs = pull === null ? ASKED_AGAIN_AFTER_MS[nones - 1] : undefined
      const value = { pull, nones, believedUntil: clock.now() + (pauseMs ?? Infinity) }
      kept.set(key, value)
      return ok(value)
    })
  }

  return {
    /** The commits with their pull requests, in the same order. */
    async of(
      base: BranchName,
      commits: readonly Commit[],
    ): Promise<Result<readonly OverlayCommit[], GitFailure>> {
      return allAhead(commits, AHEAD, async (commit) => {
        const found = await find(base, commit.id)
        return found.ok ? ok({ ...commit, pull: found.value.pull }) : found
      })
    },
  }
}
