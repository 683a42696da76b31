import { join } from 'node:path'
import { createQueue } from '../../../concurrency/queue.ts'
import { createMirror } from '../../../git/mirror.ts'
import type { CommitOnHost } from '../../../git/mirror-push.ts'
import type { Remote } from '../../../git/remote.ts'
import type { Signing } from '../../../git/signing.ts'
import { withinDeadline } from '../../../outbound/deadline.ts'
import type { GitHost } from '../../../ports/git-host.ts'
import { DESCRIBED_MAX } from '../../../ports/git-host/pull-request.ts'
import { ok } from '../../../result.ts'
import type { GitHostContext } from '../context.ts'
import { pageUrl } from '../page-url.ts'
import type { HostClient } from './api/client.ts'
import { type BranchApi, type Branches, createBranches } from './branches.ts'
import {
  createKnownRepositories,
  type KnownRepositories,
  type RefusalWords,
  type RepositoryApi,
} from './known-repositories.ts'
import { createPullRequests, type PullRequestApi } from './pull-requests.ts'
import { type CreationApi, createRepositories } from './repositories.ts'
import type { Policies } from './settings.ts'

const CREDENTIALS_DEADLINE_MS = 10_000

/** Options of a git host with an API. */
export interface HostedOptions
  extends Pick<GitHostContext, 'clock' | 'log' | 'publicOrigin' | 'dataDirectory'>, Policies {
  readonly client: HostClient
  /** URL that clone URLs begin with, without a slash at its end. */
  readonly webUrl: string
  /** URL of the host's pages, without a slash at its end; by default `webUrl`. */
  readonly pagesUrl?: string
  /** File of the certificate authorities in place of the system's. */
  readonly authorityFile: string | null
  readonly signing: Signing | null
  /** Pauses while replicas of the host may not have a new repository yet. */
  readonly replicationWaitsMs?: readonly number[]
}

/** The differences of one host from the others. */
export interface HostTable {
  /** User name beside a token, for git; the hosts document one each. */
  readonly user: string
  /** Segments of the URL between a repository and the commit of a file. */
  readonly files: string
  readonly words: RefusalWords & { readonly write: string }
  /** Makes commits by the API of the host. By default they are pushed. */
  readonly commitOnHost?: (known: KnownRepositories) => CommitOnHost
  readonly repositoryApi?: RepositoryApi
  readonly branchApi: BranchApi
  readonly creationApi: (
    client: HostClient,
    policy: Policies['repositories'],
    log: GitHostContext['log'],
  ) => CreationApi
  readonly pullRequestApi: (hosted: Hosted, policy: Policies['pullRequests']) => PullRequestApi
  /** Facts of pull requests, `DESCRIBED_MAX` at a time. */
  readonly describe: GitHost['describePullRequests']
  readonly check: (hosted: Hosted) => GitHost['check']
  readonly releases: (hosted: Hosted) => GitHost['releases']
}

/** A host with an API: its repositories, their branches and pull requests, and what git itself reads and writes. */
export function createHosted(options: HostedOptions, table: HostTable): GitHost {
  const { client, log, webUrl, pagesUrl = webUrl, repositories, replicationWaitsMs = [] } = options
  const hosted = compose(options, table)
  const { content } = hosted
  const pullRequests = createPullRequests(
    hosted,
    table.pullRequestApi(hosted, options.pullRequests),
  )
  const { create: createRepository } = createRepositories({
    ...options,
    ...hosted,
    api: table.creationApi(client, repositories, log),
    defaultBranch: repositories.defaultBranch,
    rightToWrite: table.words.write,
    replicationWaitsMs,
  })
  return {
    ...content,
    createRepository,
    findPullRequests: pullRequests.find,
    findMergedPullRequest: pullRequests.findMerged,
    openPullRequest: pullRequests.open,
    describePullRequests: async (repository, pulls) =>
      pulls.length === 0 ? new Map() : table.describe(repository, pulls.slice(0, DESCRIBED_MAX)),
    pageUrl: (repository, page) => pageUrl(pagesUrl, table.files, repository, page),
    check: table.check(hosted),
    releases: table.releases(hosted),
  }
}

function compose(options: HostedOptions, table: HostTable) {
  const { client, clock, log, signing } = options
  const known = createKnownRepositories(client, clock, table.words, table.repositoryApi)
  const branches = createBranches(client, known, table.branchApi)
  const mirror = createMirror({
    root: join(options.dataDirectory, 'mirrors'),
    remote: remoteOf(options, table, known, branches),
    clock,
    commitOnHost: table.commitOnHost?.(known) ?? null,
    signing,
  })
  const { content } = mirror
  return { client, known, branches, mirror, content, inTurn: createQueue(), clock, log }
}

export type Hosted = ReturnType<typeof compose>

/** How git itself reaches a host that has an API. */
const remoteOf = (
  { webUrl, client: { credentials }, authorityFile }: HostedOptions,
  { user, words }: HostTable,
  known: KnownRepositories,
  branches: Branches,
): Remote => ({
  async connect(repository) {
    const given = await withinDeadline(CREDENTIALS_DEADLINE_MS, (signal) =>
      credentials.current(signal),
    )
    if (!given.ok) return given
    const token = given.value.slice(given.value.indexOf(' ') + 1)
    const basic = Buffer.from(`${user}:${token}`).toString('base64')
    return ok({
      url: `${webUrl}/${known.fullNameOf(repository)}.git`,
      authorization: `Basic ${basic}`,
      async renew(why) {
        if (why === 'credentials') return credentials.refused(given.value)
        const before = known.fullNameOf(repository)
        await known.now(repository)
        return known.fullNameOf(repository) !== before
      },
    })
  },
  head: (repository, branch) => branches.head(repository, branch),
  requireComplete: (repository) => known.requireComplete(repository),
  requireWritable: (repository) => known.requireWritable(repository),
  rightToWrite: words.write,
  authorityFile,
})
