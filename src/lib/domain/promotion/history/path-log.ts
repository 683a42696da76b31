import { LRUCache } from 'lru-cache'
import { createSingleFlight } from '../../../concurrency/single-flight.ts'
import type { ObjectId, RepositoryId, RepositoryPath } from '../../../names.ts'
import type { GitFailure, GitHost } from '../../../ports/git-host.ts'
import type { PathCommit, PathCommits } from '../../../ports/git-host/history.ts'
import { ok, type Result } from '../../../result.ts'
import { lastLineOf } from '../../gitops/trailer.ts'
import { mergeLogs } from './merge-logs.ts'

/** Newest commits of an environment that are read; what is older is left out. */
export const COMMITS_MAX = 300
/** Commits in memory, of some hundred bytes each. */
const COMMITS_KEPT_MAX = 50_000

export type PathLog = ReturnType<typeof createPathLog>

/** Commits that changed a path. The history of a commit never changes, so its pages are kept. */
export function createPathLog(gitHost: Pick<GitHost, 'listPathCommits'>, repository: RepositoryId) {
  const kept = new LRUCache<string, PathCommits>({
    maxSize: COMMITS_KEPT_MAX,
    sizeCalculation: ({ commits }) => commits.length + 1,
  })
  const flights = createSingleFlight<Result<PathCommits, GitFailure>>()

  async function load(
    key: string,
    of: ObjectId,
    path: RepositoryPath,
    page: number,
  ): Promise<Result<PathCommits, GitFailure>> {
    const listed = await gitHost.listPathCommits(repository, { of, path, page })
    if (!listed.ok) return listed
    const { commits, nextPage } = listed.value
    const value = { commits: commits.map(withoutText), nextPage }
    kept.set(key, value)
    return ok(value)
  }

  async function page(
    of: ObjectId,
    path: RepositoryPath,
    number: number,
  ): Promise<Result<PathCommits, GitFailure>> {
    const key = `${of} ${number} ${path}`
    const found = kept.get(key)
    return found === undefined ? flights.join(key, () => load(key, of, path, number)) : ok(found)
  }

  /** At most `COMMITS_MAX`. */
  async function* commitsOf(
    of: ObjectId,
    path: RepositoryPath,
  ): AsyncGenerator<Result<PathCommit, GitFailure>, void, void> {
    let left = COMMITS_MAX
    for (let next: number | null = 1; next !== null && left > 0;) {
      const read: Result<PathCommits, GitFailure> = await page(of, path, next)
      if (!read.ok) return yield read
      const commits = read.value.commits.slice(0, left)
      for (const commit of commits) yield ok(commit)
      left -= commits.length
      next = read.value.nextPage
    }
  }

  return {
    /** The commits that changed any of these paths, newest first, at most `COMMITS_MAX`. */
    async *read(
      of: ObjectId,
      paths: readonly RepositoryPath[],
    ): AsyncGenerator<Result<PathCommit, GitFailure>, void, void> {
      const firsts = await Promise.all(paths.map((path) => page(of, path, 1)))
      const failed = firsts.find((first) => !first.ok)
      if (failed !== undefined) return yield failed
      const used = paths.filter((_, index) => {
        const first = firsts[index]
        return first?.ok === true && first.value.commits.length > 0
      })
      const [only, ...others] = used
      if (only === undefined) return
      if (others.length === 0) return yield* commitsOf(of, only)
      const logs: (readonly PathCommit[])[] = []
      for (const path of used) {
        const log: PathCommit[] = []
        for await (const read of commitsOf(of, path)) {
          if (!read.ok) return yield read
          log.push(read.value)
        }
        logs.push(log)
      }
      for (const commit of mergeLogs(logs).slice(0, COMMITS_MAX)) yield ok(commit)
    },
  }
}

/** Only the trailer of a message is read. */
const withoutText = ({ message, ...commit }: PathCommit): PathCommit => ({
  ...commit,
  message: lastLineOf(message),
})
