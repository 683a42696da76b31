import type { LocalGitHost } from '../lib/adapters/git-host/local/index.ts'
import type { Forge } from './deps.ts'

/** The git host as people use it: an answer to a push or a merge ends when the webhooks it caused are delivered. */
export function createForge(host: LocalGitHost, delivered: () => Promise<void>): Forge {
  const afterDelivery = async <Value>(acting: Promise<Value>): Promise<Value> => {
    const outcome = await acting
    await delivered()
    return outcome
  }
  return {
    repositories: () => host.repositories(),
    branches: (repository) => host.branches(repository),
    findPullRequests: (repository, filter) => host.findPullRequests(repository, filter),
    diff: (repository, number) => host.diff(repository, number),
    changedFiles: (repository, number) => host.changedFiles(repository, number),
    mergePullRequest: (repository, number, request) =>
      afterDelivery(host.mergePullRequest(repository, number, request)),
    closePullRequest: (repository, number, by) =>
      afterDelivery(host.closePullRequest(repository, number, by)),

    async serveGit(request, who) {
      const response = await host.serveGit(request, who)
      if (!request.url.endsWith('/git-receive-pack') || response.body === null) return response
      const body = response.body.pipeThrough(new TransformStream({ flush: delivered }))
      return new Response(body, response)
    },
  }
}
