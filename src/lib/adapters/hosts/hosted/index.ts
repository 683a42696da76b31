import type { GitHost } from '../../../ports/git-host.ts'
import { DESCRIBED_MAX } from '../../../ports/git-host/pull-request.ts'
import { pageUrl } from '../page-url.ts'
import { composeHosted, type Hosted, type HostedOptions, type HostNames } from './hosted.ts'
import { createPullRequests, type PullRequestApi } from './pull-requests.ts'
import { type CreationApi, createRepositories } from './repositories.ts'

/** The differences of one host from the others. */
export interface HostTable extends HostNames {
  /** Segments of the URL between a repository and the commit of a file. */
  readonly files: string
  readonly creationApi: (hosted: Hosted) => CreationApi
  readonly pullRequestApi: (hosted: Hosted) => PullRequestApi
  /** Facts of pull requests, `DESCRIBED_MAX` at a time. */
  readonly describe: (hosted: Hosted) => GitHost['describePullRequests']
  readonly check: (hosted: Hosted) => GitHost['check']
  readonly releases: (hosted: Hosted) => GitHost['releases']
}

/** A host with an API: its repositories, their branches and pull requests, and what git itself reads and writes. */
export function createHosted(options: HostedOptions, table: HostTable): GitHost {
  const hosted = composeHosted(options, table)
  const { content, webUrl, pagesUrl = webUrl } = hosted
  const describe = table.describe(hosted)
  const pullRequests = createPullRequests(hosted, table.pullRequestApi(hosted))
  return {
    ...content,
    createRepository: createRepositories(hosted, table.creationApi(hosted)).create,
    findPullRequests: pullRequests.find,
    findMergedPullRequest: pullRequests.findMerged,
    openPullRequest: pullRequests.open,
    describePullRequests: async (repository, pulls) =>
      pulls.length === 0 ? new Map() : describe(repository, pulls.slice(0, DESCRIBED_MAX)),
    pageUrl: (repository, page) => pageUrl(pagesUrl, table.files, repository, page),
    check: table.check(hosted),
    releases: table.releases(hosted),
  }
}
