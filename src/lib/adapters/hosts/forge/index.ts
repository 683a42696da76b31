import type { RepositoryId } from '../../../names.ts'
import { systemClock, type Clock } from '../../../ports/clock.ts'
import type { Forge, MergePolicy } from '../../../ports/forge.ts'
import type { GitFailure, GitHost } from '../../../ports/git-host.ts'
import { DESCRIBED_MAX } from '../../../ports/git-host/pull-request.ts'
import { err, ok, type Result } from '../../../result.ts'
import { createBrowse } from './browse.ts'
import { commitChanges } from './commits.ts'
import { contentReads, readFiles } from '../../../git/content.ts'
import { createKeptRefs } from '../../../git/kept-refs.ts'
import {
  branchesIn,
  headIn,
  listTags,
  namesOf,
  type RefChange,
  updateRefs,
} from '../../../git/refs.ts'
import { packNowAndThen } from '../../../git/maintenance.ts'
import { createPullRequests } from './pull-requests.ts'
import { createQueue } from '../../../concurrency/queue.ts'
import { createRepositories, type OpenRepository } from './repositories.ts'
import { createSmartHttp } from './smart-http.ts'
import { pageUrl } from '../page-url.ts'
import { checkWritableFolder } from '../../../files/writable-folder.ts'
import type { Signing } from '../../../git/signing.ts'

export type { RefChange } from '../../../git/refs.ts'

export type LocalGitHost = GitHost & Forge

export interface LocalGitHostOptions {
  /** The folder of the repositories. Several processes may share it. */
  readonly directory: string
  /** Origin of this service. */
  readonly publicUrl: string
  readonly clock?: Clock
  readonly signing?: Signing | null
  readonly policy?: MergePolicy
  /**
   * Called after refs have moved, by a push or by a call. Must not throw. A change may be reported twice; it is not
   * reported when the process ends before, or when the refs cannot be read after a push. Compare heads as well.
   */
  readonly onRefsChanged?: (repository: RepositoryId, changes: readonly RefChange[]) => void
}

/** A git hosting service on bare repositories; `docs/decisions/embedded-git-host.md`. */
export function createLocalGitHost({
  directory: root,
  publicUrl,
  clock = systemClock,
  signing = null,
  policy = PLATFORM_TEAM,
  onRefsChanged = () => {},
}: LocalGitHostOptions): LocalGitHost {
  const repositories = createRepositories(root, signing)
  const refsOf = createKeptRefs()
  const queue = createQueue()
  const pullRequests = createPullRequests(clock, policy.approvals)
  const site = `${publicUrl.replace(/\/+$/, '')}/git`
  const urlOf = ({ owner, name }: RepositoryId) => `${site}/${owner}/${name}`
  const locate = (id: RepositoryId) => repositories.locate(id)

  function report(id: RepositoryId, changes: readonly RefChange[]): void {
    if (changes.length === 0) return
    packNowAndThen(repositories.directoryOf(id))
    onRefsChanged(id, changes)
  }

  const openAt = (id: RepositoryId, directory: string): OpenRepository => ({
    id,
    directory,
    signing,
    refs: () => refsOf(directory),
    async changeRefs(edits) {
      const outcome = await updateRefs(directory, edits)
      const changes = edits.filter((edit) => 'after' in edit)
      if (outcome.ok && outcome.value === 'changed') report(id, changes)
      return outcome
    },
    urlOf: (number) => `${urlOf(id)}/pulls/${number}`,
  })

  /** A method of the host, from its work on a repository. */
  const inRepository =
    <Args extends readonly unknown[], Value, Failure>(
      work: (repository: OpenRepository, ...args: Args) => Promise<Result<Value, Failure>>,
    ) =>
    async (id: RepositoryId, ...args: Args): Promise<Result<Value, Failure | GitFailure>> => {
      const located = await locate(id)
      return located.ok ? work(openAt(id, located.value), ...args) : located
    }

  /** For writes: one after another saves lost races within this process. */
  const inTurn = <Args extends readonly unknown[], Value, Failure>(
    work: (repository: OpenRepository, ...args: Args) => Promise<Result<Value, Failure>>,
  ) =>
    inRepository((repository: OpenRepository, ...args: Args) =>
      queue(repository.directory, () => work(repository, ...args)),
    )

  return {
    head: inRepository(async ({ refs }, branch) => {
      const read = await refs()
      return read.ok ? headIn(read.value, branch) : read
    }),
    listBranches: inRepository(async ({ refs }, prefix: string) => {
      const read = await refs()
      return read.ok ? ok(namesOf(branchesIn(read.value.all), prefix)) : read
    }),
    listTags: inRepository(({ directory }) => listTags(directory)),
    ...contentReads(async (id, _, work) => {
      const located = await locate(id)
      return located.ok ? work(located.value) : located
    }),
    browse: createBrowse((work) =>
      inRepository(({ directory }, ...args) => work(directory, ...args)),
    ),

    async *readFiles(id, commit, files, maxBytes) {
      const located = await locate(id)
      if (located.ok) yield* readFiles(located.value, commit, files, maxBytes)
      else yield located
    },

    commit: inTurn(async (repository, request) => {
      const head = await commitChanges(repository, request, clock.now())
      // Git clients read `pull/<n>/head` without a call of ours. The next reader repairs a failure here.
      if (head.ok) await pullRequests.settle(repository)
      return head
    }),

    async createRepository(id, request) {
      const created = await repositories.create(id, request, clock.now())
      if (!created.ok) return created
      const { head, change } = created.value
      if (change !== null) report(id, [change])
      return ok({ created: change !== null, head, url: `${urlOf(id)}.git` })
    },

    policy,
    findPullRequests: inRepository(pullRequests.find),
    findMergedPullRequest: inRepository(pullRequests.findMerged),
    openPullRequest: inTurn(pullRequests.open),
    mergePullRequest: inTurn(pullRequests.merge),
    closePullRequest: inTurn(pullRequests.close),
    approvePullRequest: inTurn(pullRequests.approve),
    review: inRepository(pullRequests.review),
    async describePullRequests(id, pulls) {
      const described = await inRepository(pullRequests.describe)(id, pulls.slice(0, DESCRIBED_MAX))
      return described.ok ? described.value : new Map()
    },
    pageUrl: (repository, page) => pageUrl(site, 'blob', repository, page),
    check: async () => [await checkWritableFolder(root, 'The git repositories')],

    // Nothing publishes one here.
    releases: {
      list: inRepository(async () => ok([])),
      openAsset: inRepository(async () => err({ kind: 'git_not_found', what: 'asset' })),
    },
    repositories: () => repositories.list(),
    serveGit: createSmartHttp({
      locate,
      async pushed(id, directory, changes) {
        report(id, changes)
        await pullRequests.settle(openAt(id, directory))
      },
    }),
  }
}

const PLATFORM_TEAM: MergePolicy = { role: 'platform', gitopsRole: 'platform', approvals: 0 }
