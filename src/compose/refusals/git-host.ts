import type { GitFailure, GitHost } from '../../lib/ports/git-host.ts'
import type { Outages } from '../../lib/logging/outages.ts'
import { createRefusalLog } from './refusal-log.ts'

/** The git host, with its refusals in the log. */
export function withGitHostRefusals(gitHost: GitHost, outages: Outages): GitHost {
  const { note, noted } = createRefusalLog<GitFailure>(outages, 'git host', {
    outages: ['git_host_error'],
    refusals: ['git_denied'],
  })
  return {
    head: (...args) => noted('head', gitHost.head(...args)),
    listFiles: (...args) => noted('listFiles', gitHost.listFiles(...args)),
    listChanges: (...args) => noted('listChanges', gitHost.listChanges(...args)),
    async *readFiles(...args) {
      for await (const file of gitHost.readFiles(...args)) {
        note('readFiles', file)
        yield file
      }
    },
    searchFiles: (...args) => noted('searchFiles', gitHost.searchFiles(...args)),
    listBranches: (...args) => noted('listBranches', gitHost.listBranches(...args)),
    listTags: (...args) => noted('listTags', gitHost.listTags(...args)),
    listCommits: (...args) => noted('listCommits', gitHost.listCommits(...args)),
    merge: (...args) => noted('merge', gitHost.merge(...args)),
    commit: (...args) => noted('commit', gitHost.commit(...args)),
    createRepository: (...args) => noted('createRepository', gitHost.createRepository(...args)),
    findPullRequests: (...args) => noted('findPullRequests', gitHost.findPullRequests(...args)),
    findMergedPullRequest: (...args) =>
      noted('findMergedPullRequest', gitHost.findMergedPullRequest(...args)),
    openPullRequest: (...args) => noted('openPullRequest', gitHost.openPullRequest(...args)),
    describePullRequests: (...args) => gitHost.describePullRequests(...args),
    pageUrl: (...args) => gitHost.pageUrl(...args),
    check: (uses) => gitHost.check(uses),
    releases: {
      list: (...args) => noted('releases.list', gitHost.releases.list(...args)),
      openAsset: (...args) => noted('releases.openAsset', gitHost.releases.openAsset(...args)),
    },
  }
}
