import { createLru } from '../../../concurrency/lru.ts'
import { readAhead } from '../../../concurrency/read-ahead.ts'
import { createSingleFlight } from '../../../concurrency/single-flight.ts'
import type { BranchName, ObjectId, RepositoryId } from '../../../names.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Commit, GitFailure, GitHost, PullRequest } from '../../../ports/git-host.ts'
import { ok, type Result } from '../../../result.ts'
import { lastLineOf } from '../../gitops/trailer.ts'
import type { OverlayCommit } from './fold.ts'

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

  async function load(
    key: string,
    commit: ObjectId,
    base: BranchName,
  ): Promise<Result<Found, GitFailure>> {
    const found = await gitHost.findMergedPullRequest(repository, { commit, base })
    if (!found.ok) return found
    // Only the trailer of the description is read.
    const pull = found.value && { ...found.value, body: lastLineOf(found.value.body) }
    const nones = (kept.get(key)?.nones ?? 0) + (pull === null ? 1 : 0)
    const isBelieved = pull !== null || nones > ASKED_AGAIN_AFTER_MS.length
    const believedUntil = isBelieved
      ? Infinity
      : clock.now() + (ASKED_AGAIN_AFTER_MS[nones - 1] ?? 0)
    const value = { pull, nones, believedUntil }
    kept.set(key, value)
    return ok(value)
  }

  async function find(base: BranchName, commit: ObjectId): Promise<Result<Found, GitFailure>> {
    const key = `${commit} ${base}`
    const found = kept.get(key)
    const isKnown = found !== undefined && clock.now() < found.believedUntil
    return isKnown ? ok(found) : flights.join(key, () => load(key, commit, base))
  }

  return {
    /** The commits with their pull requests, in the same order. */
    async of(
      base: BranchName,
      commits: readonly Commit[],
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
