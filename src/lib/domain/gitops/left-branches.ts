import { LRUCache } from 'lru-cache'
import type { BranchName, RepositoryId } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { GitFailure, GitHost, Head } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import { lastTrailer } from './trailer.ts'

const PREFIXES = ['promote/', 'deprecate/', 'lifecycle/', 'scaffold/']
const TRAILERS = ['Portico-Move', 'Portico-Run']
const LOOK_EVERY_MS = 60 * 60_000
const LEFT_AFTER_MS = 24 * 60 * 60_000
/** Branches of a look that the host is asked about: each is a request. */
const ASKED_MAX = 50
const KNOWN_MAX = 20_000

export interface LeftBranchesOptions {
  readonly gitHost: Pick<
    GitHost,
    'head' | 'listBranches' | 'listCommits' | 'findPullRequests' | 'removeBranch'
  >
  readonly repository: RepositoryId
  readonly clock: Clock
}

/**
 * Removes branches of Portico that never had a pull request, once they are a day old: a killed process left them, and nobody asked again.
 * Each has one commit, with our trailer: a branch with anything else is somebody's.
 */
export function createLeftBranches({ gitHost, repository, clock }: LeftBranchesOptions) {
  /** Branches that stay. */
  const kept = new LRUCache<BranchName, true>({ max: KNOWN_MAX })
  let lookedAt = clock.now()

  async function look(): Promise<Result<readonly Head[], GitFailure>> {
    const base = await gitHost.head(repository)
    if (!base.ok) return base
    const removed: Head[] = []
    let asked = 0
    for (const prefix of PREFIXES) {
      const listed = await gitHost.listBranches(repository, prefix)
      if (!listed.ok) return listed
      for (const branch of listed.value) {
        if (kept.has(branch)) continue
        if (asked >= ASKED_MAX) return ok(removed)
        asked += 1
        const left = await readLeft(branch, base.value)
        if (!left.ok) return left
        if (left.value === null) continue
        const done = await gitHost.removeBranch(repository, left.value)
        if (!done.ok) return done
        removed.push(left.value)
      }
    }
    return ok(removed)
  }

  /** `null`: the branch stays, or is too young to tell. */
  async function readLeft(
    branch: BranchName,
    base: Head,
  ): Promise<Result<Head | null, GitFailure>> {
    const pulls = await gitHost.findPullRequests(repository, { head: branch, limit: 1 })
    if (!pulls.ok) return pulls
    const keep = () => {
      kept.set(branch, true)
      return ok(null)
    }
    if (pulls.value.length > 0) return keep()
    const head = await gitHost.head(repository, branch)
    if (!head.ok) return head
    const range = { of: head.value.commit, without: base.commit, limit: 2 }
    const commits = await gitHost.listCommits(repository, range)
    if (!commits.ok) return commits
    const [own, ...others] = commits.value
    const isOurs = TRAILERS.some((key) => lastTrailer(own?.message ?? '', key) !== undefined)
    if (!isOurs || others.length > 0) return keep()
    const isOld = clock.now() - (own?.committedAt ?? Infinity) >= LEFT_AFTER_MS
    return ok(isOld ? head.value : null)
  }

  return {
    /** Looks once an hour, however often it is called. Answers the branches that it removed. */
    async sweep(): Promise<Result<readonly Head[], GitFailure>> {
      if (clock.now() - lookedAt < LOOK_EVERY_MS) return ok([])
      lookedAt = clock.now()
      return look()
    },
  }
}
