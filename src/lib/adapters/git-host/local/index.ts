import type { ObjectId, RepositoryId } from '../../../names.ts'
import { systemClock, type Clock } from '../../../ports/clock.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { commitChanges } from './commits.ts'
import { readFiles } from './files.ts'
import { listFiles } from './listing.ts'
import type { LocalGitHost } from './forge.ts'
import { hostError } from './git.ts'
import { listBranches, readHead } from './head.ts'
import { listCommits } from './log.ts'
import { createMaintenance } from './maintenance.ts'
import { createPullRequests } from './pull-requests.ts'
import { createQueue } from '../../../concurrency/queue.ts'
import { readRefs, type RefChange } from './refs.ts'
import { listReleases, openAsset, publish } from './releases.ts'
import { createRepositories } from './repositories.ts'
import { createSmartHttp } from './smart-http.ts'
import { checkGit } from './version.ts'

export type { ChangedFile, ForgeFailure, LocalGitHost, NewRelease, Visitor } from './forge.ts'
export type { RefChange } from './refs.ts'

export interface LocalGitHostOptions {
  /** Where the repositories are. Several processes may share it. */
  readonly directory: string
  /** Where this service is reached, without a path of its own. */
  readonly publicUrl: string
  readonly clock?: Clock
  /**
   * Told after refs have moved, by a push or by a call. Must not throw. A change may be told twice; one is lost when the
   * process ends before it is told, or when the refs cannot be read around a push. Compare heads as well.
   */
  readonly onRefsChanged?: (repository: RepositoryId, changes: readonly RefChange[]) => void
}

/** A git hosting service on bare repositories. `docs/decisions/embedded-git-host.md` says how and why. */
export function createLocalGitHost({
  directory: root,
  publicUrl,
  clock = systemClock,
  onRefsChanged = () => {},
}: LocalGitHostOptions): LocalGitHost {
  const repositories = createRepositories(root)
  const inTurn = createQueue()
  const maintenance = createMaintenance()
  const site = `${publicUrl.replace(/\/+$/, '')}/git`
  let git: ReturnType<typeof checkGit> | undefined

  async function locate(repository: RepositoryId): Promise<Result<string, GitFailure>> {
    const ready = await requireGit()
    return ready.ok ? repositories.locate(repository) : ready
  }

  /** Asked once; asked again when it failed, since a program can be installed. */
  async function requireGit(): Promise<Result<void, GitFailure>> {
    git ??= checkGit()
    const checked = await git
    if (checked.ok) return ok(undefined)
    git = undefined
    return err(hostError(JSON.stringify(checked.error)))
  }

  const report = (repository: RepositoryId, changes: readonly RefChange[]) => {
    if (changes.length === 0) return
    maintenance.afterWrite(repositories.place(repository))
    onRefsChanged(repository, changes)
  }

  const { settle, ...pullRequests } = createPullRequests({
    locate,
    inTurn,
    report,
    maintenance,
    clock,
    urlOf: ({ owner, name }, number) => `${site}/${owner}/${name}/pulls/${number}`,
  })

  const serveGit = createSmartHttp({
    locate,
    async watchPush(repository, directory) {
      const visible = ['refs/heads', 'refs/tags']
      const before = await readRefs(directory, visible)
      return async () => {
        const after = await readRefs(directory, visible)
        if (before.ok && after.ok) report(repository, difference(before.value, after.value))
        await settle(repository, directory)
      }
    },
  })

  return {
    async head(repository, branch) {
      const located = await locate(repository)
      return located.ok ? readHead(located.value, branch) : located
    },

    async listFiles(repository, at) {
      const located = await locate(repository)
      return located.ok ? listFiles(located.value, at) : located
    },

    async *readFiles(repository, commit, files, maxBytes) {
      const located = await locate(repository)
      if (located.ok) yield* readFiles(located.value, commit, files, maxBytes)
      else yield located
    },

    async listCommits(repository, range) {
      const located = await locate(repository)
      return located.ok ? listCommits(located.value, range) : located
    },

    async commit(repository, request) {
      const located = await locate(repository)
      if (!located.ok) return located
      const directory = located.value
      return inTurn(directory, async () => {
        const done = await commitChanges(directory, request, clock.now())
        if (!done.ok) return done
        report(repository, [done.value.change])
        // For git clients, who see `pull/<n>/head` as it is; a failure here is repaired by the next reader.
        await settle(repository, directory)
        return ok(done.value.head)
      })
    },

    async createRepository(repository, request) {
      const ready = await requireGit()
      if (!ready.ok) return ready
      const made = await repositories.create(repository, request, clock.now())
      if (!made.ok) return made
      const { head, change } = made.value
      if (change !== null) report(repository, [change])
      const url = `${site}/${repository.owner}/${repository.name}.git`
      return ok({ created: change !== null, head, url })
    },

    ...pullRequests,

    releases: {
      async list(repository) {
        const located = await locate(repository)
        return located.ok ? listReleases(located.value) : located
      },
      async openAsset(repository, asset, signal) {
        const located = await locate(repository)
        return located.ok ? openAsset(located.value, asset, signal) : located
      },
    },

    repositories: () => repositories.list(),

    async branches(repository) {
      const located = await locate(repository)
      return located.ok ? listBranches(located.value) : located
    },

    async publishRelease(repository, request) {
      const located = await locate(repository)
      if (!located.ok) return located
      return inTurn(located.value, async () => {
        const published = await publish(located.value, request, clock.now())
        if (!published.ok) return published
        const { release, created, changes } = published.value
        report(repository, changes)
        return ok({ release, created })
      })
    },

    serveGit,
  }
}

function difference(
  before: ReadonlyMap<string, ObjectId>,
  after: ReadonlyMap<string, ObjectId>,
): readonly RefChange[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((ref) => ({ ref, before: before.get(ref) ?? null, after: after.get(ref) ?? null }))
    .filter((change) => change.before !== change.after)
}
