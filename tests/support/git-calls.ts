import type { GitHost } from '#src/lib/ports/git-host.ts'

/** Notes the calls of a host. Reads of a known commit are left out: adapters answer them from memory. */
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
    merge: (...args) => noted('merge', own.merge(...args)),
    commit: (...args) => noted('commit', own.commit(...args)),
    createRepository: (...args) => noted('createRepository', own.createRepository(...args)),
    findPullRequests: (...args) => noted('findPullRequests', own.findPullRequests(...args)),
    findMergedPullRequest: (...args) =>
      noted('findMergedPullRequest', own.findMergedPullRequest(...args)),
    openPullRequest: (...args) => noted('openPullRequest', own.openPullRequest(...args)),
    describePullRequests: (...args) =>
      noted('describePullRequests', own.describePullRequests(...args)),
  }
  Object.assign(host, noting)
  return {
    /** The calls since the last `take`. */
    take: () => calls.splice(0),
  }
}
