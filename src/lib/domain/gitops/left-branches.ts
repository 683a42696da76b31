import { createLru } from '../../concurrency/lru.ts'
import { BranchName, type RepositoryId } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { GitFailure, GitHost, Head } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import { isNumbered } from './numbered-branches.ts'
import { lastTrailer } from './trailer.ts'

const PREFIXES = ['promote/', 'deprecate/', 'lifecycle/', 'scaffold/']
const LOOK_EVERY_MS = 60 * 60_000
const LEFT_AFTER_MS = 24 * 60 * 60_000
/** Branches of a look that the host is asked about: each is a request. */
const ASKED_MAX = 50
const KNOWN_MAX = 20_000

/** Failures that say nothing of other branches: somebody has moved or removed it, or protects it. */
const OF_ONE_BRANCH: ReadonlySet<GitFailure['kind']> = new Set([
  'git_conflict',
  'git_denied',
  'git_not_found',
])

/** Whether Portico wrote the commit for this branch. */
function isBranchOf(branch: BranchName, message: string): boolean {
  const move = BranchName.parse(lastTrailer(message, 'Portico-Move'))
  if (move !== undefined) return isNumbered(branch, move)
  return lastTrailer(message, 'Portico-Run') !== undefined && SCAFFOLD.test(branch)
}

const SCAFFOLD = /^scaffold\/[^/]+\/[^/]+$/

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
 * Each has one commit, with the trailer of that branch: a branch with anything else is somebody's.
 */
export function createLeftBranches({ gitHost, repository, clock }: LeftBranchesOptions) {
  /** Branches that stay. */
  const kept = createLru<BranchName, true>(KNOWN_MAX)
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
        const done =
          left.ok && left.value !== null
            ? await gitHost.removeBranch(repository, left.value)
            : ok(undefined)
        const failed = [left, done].find((each) => !each.ok)
        if (failed?.ok === false) {
          if (!OF_ONE_BRANCH.has(failed.error.kind)) return failed
          kept.set(branch, true)
        } else if (left.ok && left.value !== null) removed.push(left.value)
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
    const isSingle = own?.parents.length === 1 && others.length === 0
    if (!isSingle || !isBranchOf(branch, own.message)) return keep()
    const isOld = clock.now() - (own.committedAt ?? Infinity) >= LEFT_AFTER_MS
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
