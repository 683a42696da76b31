import type { LocalGitHost } from '../lib/adapters/hosts/forge/index.ts'
import type { BranchName, RepositoryId } from '../lib/names.ts'
import type { GitFailure } from '../lib/ports/git-host.ts'
import type { Result } from '../lib/result.ts'

/** The embedded git host as people and git clients use it. */
export interface Forge extends Pick<
  LocalGitHost,
  | 'repositories'
  | 'browse'
  | 'head'
  | 'readFiles'
  | 'openPullRequest'
  | 'pullRequestCommits'
  | 'findPullRequests'
  | 'diff'
  | 'changedFiles'
  | 'mergePullRequest'
  | 'closePullRequest'
  | 'serveGit'
> {
  branches(repository: RepositoryId): Promise<Result<readonly BranchName[], GitFailure>>
}

/** Answers to pushes, merges and closings end after their webhooks are delivered, so that the next read shows the change. */
export function createForge(
  host: LocalGitHost,
  delivered: () => Promise<void>,
  onClosed: (repository: RepositoryId, number: number) => void,
): Forge {
  const afterDelivery = async <Value>(action: Promise<Value>): Promise<Value> => {
    const outcome = await action
    await delivered()
    return outcome
  }
  return {
    repositories: () => host.repositories(),
    browse: host.browse,
    head: (repository, branch) => host.head(repository, branch),
    readFiles: (repository, commit, files, maxBytes) =>
      host.readFiles(repository, commit, files, maxBytes),
    openPullRequest: (repository, request) => host.openPullRequest(repository, request),
    pullRequestCommits: (repository, number, page) =>
      host.pullRequestCommits(repository, number, page),
    branches: (repository) => host.branches(repository),
    findPullRequests: (repository, filter) => host.findPullRequests(repository, filter),
    diff: (repository, number) => host.diff(repository, number),
    changedFiles: (repository, number) => host.changedFiles(repository, number),
    mergePullRequest: (repository, number, request) =>
      afterDelivery(host.mergePullRequest(repository, number, request)),
    closePullRequest: (repository, number, by) =>
      afterDelivery(
        host.closePullRequest(repository, number, by).then((closed) => {
          if (closed.ok) onClosed(repository, number)
          return closed
        }),
      ),

    async serveGit(request, author, rule) {
      const response = await host.serveGit(request, author, rule)
      if (!request.url.endsWith('/git-receive-pack') || response.body === null) return response
      const body = response.body.pipeThrough(new TransformStream({ flush: delivered }))
      return new Response(body, response)
    },
  }
}
