import type { GitHost } from '#src/lib/ports/git-host.ts'

/**
 * Requests to GitHub for a call, where it is not one: a commit is a tree, a commit and a ref; a new repository is those, and the
 * repository before and after.
 */
const REQUESTS: Readonly<Record<string, number>> = { commit: 3, createRepository: 5 }

/** Notes the calls of a host, but for those that an adapter answers from what it keeps of known commits. */
export function noteCalls(host: GitHost) {
  const calls: string[] = []
  const { ...own } = host
  const noted = <Answer>(name: string, answer: Answer): Answer => {
    calls.push(name)
    return answer
  }
  const noting: Partial<GitHost> = {
    head: (...args) => noted('head', own.head(...args)),
    listBranches: (...args) => noted('listBranches', own.listBranches(...args)),
    listCommits: (...args) => noted('listCommits', own.listCommits(...args)),
    commit: (...args) => noted('commit', own.commit(...args)),
    createRepository: (...args) => noted('createRepository', own.createRepository(...args)),
    findPullRequests: (...args) => noted('findPullRequests', own.findPullRequests(...args)),
    openPullRequest: (...args) => noted('openPullRequest', own.openPullRequest(...args)),
  }
  Object.assign(host, noting)
  return {
    /** The calls since the last `take`. */
    take: () => calls.splice(0),
  }
}

export const requestsOf = (calls: readonly string[]): number =>
  calls.reduce((sum, call) => sum + (REQUESTS[call] ?? 1), 0)
