import { createLru } from '../../../concurrency/lru.ts'
import { LRUCache } from 'lru-cache'
import { createSingleFlight } from '../../../concurrency/single-flight.ts'
import type { ObjectId, RepositoryId } from '../../../names.ts'
import type { Commit, GitFailure, GitHost } from '../../../ports/git-host.ts'
import { ok, type Result } from '../../../result.ts'
import { type ApplicationId, appPath } from '../../gitops/layout.ts'
import { overlayFolder } from '../../gitops/overlay.ts'
import { lastLineOf } from '../../gitops/trailer.ts'

/** Newest commits of an environment that are read; what is older is left out. */
export const COMMITS_MAX = 300
/** Commits in memory, of some hundred bytes each. */
const COMMITS_KEPT_MAX = 50_000
/** Commits that were pushed since a log was read. After more of them it is read again. */
const PUSHED_MAX = 50
const RANGES_MAX = 200

interface Log {
  /** The log is the same at this commit. */
  readonly at: ObjectId
  readonly commits: readonly Commit[]
}

export type OverlayLog = ReturnType<typeof createOverlayLog>

/**
 * Reads the commits that changed overlay folders of an application, newest first. A log outlives pushes that leave the application as it
 * is. Its tree alone does not tell: what was changed and changed back has two more commits.
 */
export function createOverlayLog(
  gitHost: Pick<GitHost, 'listCommits' | 'listFiles'>,
  repository: RepositoryId,
) {
  const logs = new LRUCache<string, Log>({
    maxSize: COMMITS_KEPT_MAX,
    sizeCalculation: ({ commits }) => commits.length + 1,
  })
  const flights = createSingleFlight<Result<readonly Commit[], GitFailure>>()
  const ranges = createLru<string, Promise<ReadonlySet<ObjectId>>>(RANGES_MAX)

  /** The commits after one up to another, and their parents, once for all applications; none if they are too many or unrelated. */
  async function readRange(without: ObjectId, of: ObjectId): Promise<ReadonlySet<ObjectId>> {
    const pushed = await gitHost.listCommits(repository, { of, without, limit: PUSHED_MAX })
    const ids = new Set(
      pushed.ok ? pushed.value.flatMap(({ id, parents }) => [id, ...parents]) : [],
    )
    return ids.has(without) && pushed.ok && pushed.value.length < PUSHED_MAX ? ids : new Set()
  }

  async function isUntouched(
    from: ObjectId,
    to: ObjectId,
    { team, app }: ApplicationId,
  ): Promise<boolean> {
    const key = `${from} ${to}`
    const range = ranges.get(key) ?? readRange(from, to)
    ranges.set(key, range)
    const at = { directory: appPath(team, app), filesMax: 0 }
    const trees = await Promise.all(
      Array.from(await range, (commit) => gitHost.listFiles(repository, { ...at, commit })),
    )
    const [first] = trees
    return (
      first?.ok === true && trees.every((each) => each.ok && each.value.tree === first.value.tree)
    )
  }

  async function load(
    key: string,
    of: ObjectId,
    application: ApplicationId,
    folders: readonly string[],
    limit: number,
  ): Promise<Result<readonly Commit[], GitFailure>> {
    const known = logs.get(key)
    if (known !== undefined && (await isUntouched(known.at, of, application))) {
      logs.set(key, { ...known, at: of })
      return ok(known.commits)
    }
    const { team, app } = application
    const paths = folders.map((folder) => overlayFolder(team, app, folder))
    const listed = await gitHost.listCommits(repository, { of, paths, limit })
    if (!listed.ok) return listed
    // Only the trailer of a message is read.
    const commits = listed.value.map((each) => ({ ...each, message: lastLineOf(each.message) }))
    logs.set(key, { at: of, commits })
    return ok(commits)
  }

  return async (
    of: ObjectId,
    application: ApplicationId,
    folders: readonly string[],
    limit = COMMITS_MAX,
  ): Promise<Result<readonly Commit[], GitFailure>> => {
    const key = `${appPath(application.team, application.app)} ${folders.join(' ')} ${limit}`
    const known = logs.get(key)
    if (known?.at === of) return ok(known.commits)
    return flights.join(`${of} ${key}`, () => load(key, of, application, folders, limit))
  }
}
