import type { Logger } from 'pino'
import type { Clock } from '../lib/ports/clock.ts'
import type { GitFailure, GitHost } from '../lib/ports/git-host.ts'
import type { Result } from '../lib/result.ts'

/** The same refusal is logged once in this time: readiness asks every few seconds. */
const REPEATED_AFTER_MS = 60_000
const REMEMBERED_MAX = 1_000

/**
 * The git host, with a log line for each call that it refused or answered in an unusable way. People learn only that it did; the
 * line has the missing right or the reason, for operators.
 */
export function withRefusalLog(
  gitHost: GitHost,
  { clock, log }: { readonly clock: Clock; readonly log: Pick<Logger, 'warn'> },
): GitHost {
  const loggedAt = new Map<string, number>()

  function note(call: string, failure: GitFailure): void {
    if (failure.kind !== 'git_denied' && failure.kind !== 'git_host_error') return
    const key = JSON.stringify([call, failure])
    const now = clock.now()
    const before = loggedAt.get(key)
    if (before !== undefined && now >= before && now - before < REPEATED_AFTER_MS) return
    if (loggedAt.size >= REMEMBERED_MAX) loggedAt.clear()
    loggedAt.set(key, now)
    log.warn({ call, ...failure }, 'git host')
  }

  async function noted<Value>(
    call: string,
    answer: Promise<Result<Value, GitFailure>>,
  ): Promise<Result<Value, GitFailure>> {
    const result = await answer
    if (!result.ok) note(call, result.error)
    return result
  }

  return {
    head: (...args) => noted('head', gitHost.head(...args)),
    listFiles: (...args) => noted('listFiles', gitHost.listFiles(...args)),
    async *readFiles(...args) {
      for await (const file of gitHost.readFiles(...args)) {
        if (!file.ok) note('readFiles', file.error)
        yield file
      }
    },
    listBranches: (...args) => noted('listBranches', gitHost.listBranches(...args)),
    listCommits: (...args) => noted('listCommits', gitHost.listCommits(...args)),
    commit: (...args) => noted('commit', gitHost.commit(...args)),
    createRepository: (...args) => noted('createRepository', gitHost.createRepository(...args)),
    findPullRequests: (...args) => noted('findPullRequests', gitHost.findPullRequests(...args)),
    openPullRequest: (...args) => noted('openPullRequest', gitHost.openPullRequest(...args)),
    check: (uses) => gitHost.check(uses),
    releases: {
      list: (...args) => noted('releases.list', gitHost.releases.list(...args)),
      openAsset: (...args) => noted('releases.openAsset', gitHost.releases.openAsset(...args)),
    },
  }
}
