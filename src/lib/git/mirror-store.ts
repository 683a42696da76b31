import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onNobodysBehalf, stepAside } from '../concurrency/on-behalf-of.ts'
import { inTime } from '../concurrency/in-time.ts'
import { createQueue } from '../concurrency/queue.ts'
import { createSingleFlight } from '../concurrency/single-flight.ts'
import type { ObjectId, RepositoryId } from '../names.ts'
import type { GitAnswer, GitResult } from '../ports/git-host.ts'
import { err, ok } from '../result.ts'
import type { Needs } from './content.ts'
import { gitOutput, hostError } from './git.ts'
import { maintainMirror } from './maintenance.ts'
import { fetchCommits } from './mirror-fetch.ts'
import { createMirrorFolders } from './mirror-folders.ts'
import { resolveObjects } from './objects.ts'
import { SEEN } from './refs.ts'
import type { Remote } from './remote.ts'

/** Fetches leave packs and loose objects. The first one of a process looks at what those before it have left. */
const FETCHES_BEFORE_MAINTENANCE = 16
const DEEPENED_AT_ONCE = 20_000
/** For a request that needs the history. */
const HISTORY_WAIT_MS = 30_000

/**
 * Bare repositories with the commits that were asked for. They are a cache: one that is deleted or damaged is made again, which costs a
 * fetch. Several processes may share their folder, `root`. The first fetch takes one commit without its history, which follows in the background.
 */
export function createMirrorStore(root: string, remote: Remote) {
  const inTurn = createQueue()
  const folders = createMirrorFolders(root, inTurn)
  const fetches = createSingleFlight<GitResult<void>>()
  /** A fetch holds its mirror: whoever needs it next waits for it. */
  const fetchInTurn = (directory: string, work: () => GitAnswer<void>) =>
    onNobodysBehalf(() => inTurn(directory, work))
  const fetchesOf = new Map<string, number>()

  /** One fetch of a repository at a time; equal ones are one. */
  function fetchOnce(
    id: RepositoryId,
    directory: string,
    { commits, history = false }: Needs,
  ): GitAnswer<void> {
    stepAside()
    return fetches.join(`${directory} ${history} ${commits.join(' ')}`, () =>
      fetchInTurn(directory, async () => {
        const missing = await missingOf(directory, commits)
        if (!missing.ok) return missing
        const isShallow = await exists(join(directory, 'shallow'))
        if (history && isShallow) {
          const depth = [`--deepen=${DEEPENED_AT_ONCE}`]
          return fetchCommits(remote, id, directory, commits, depth)
        }
        if (missing.value.length === 0) return ok(undefined)
        const isFirst = !history && !isShallow && (await isEmpty(directory))
        const depth = isFirst ? ['--depth=1'] : []
        const fetched = await fetchCommits(remote, id, directory, missing.value, depth)
        if (!fetched.ok) return fetched
        if (isFirst) void completeLater(id, directory, missing.value)
        void maintainNowAndThen(directory)
        return fetched
      }),
    )
  }

  /** The whole history, in steps that are kept and between which others may fetch. */
  const complete = (
    id: RepositoryId,
    directory: string,
    commits: readonly ObjectId[],
  ): GitAnswer<void> =>
    fetches.join(`${directory} complete ${commits.join(' ')}`, async () => {
      for (let before: string | undefined; ;) {
        const fetched = await fetchOnce(id, directory, { commits, history: true })
        if (!fetched.ok) return fetched
        const boundary = await boundaryOf(directory)
        if (boundary === null) return ok(undefined)
        // Rewritten since the first fetch: the host does not have its commit any more.
        if (boundary === before) return err(hostError('the mirror has a shallow history'))
        before = boundary
      }
    })

  /** The history that a first fetch left out, before somebody asks for it. The next who needs it reports a failure. */
  async function completeLater(
    id: RepositoryId,
    directory: string,
    commits: readonly ObjectId[],
  ): Promise<void> {
    const done = await complete(id, directory, commits)
    if (done.ok) await maintainMirror(directory)
  }

  async function maintainNowAndThen(directory: string): Promise<void> {
    const fetches = (fetchesOf.get(directory) ?? 0) + 1
    fetchesOf.set(directory, fetches)
    if (fetches % FETCHES_BEFORE_MAINTENANCE === 1) await maintainMirror(directory)
  }

  return {
    ...folders,

    /** The directory of the mirror, with these commits. */
    async withCommits(id: RepositoryId, needs: Needs): GitAnswer<string> {
      const located = await folders.locate(id)
      if (!located.ok) return located
      const directory = located.value
      const missing = await missingOf(directory, needs.commits)
      if (!missing.ok) return missing
      const lacksHistory = needs.history === true && (await exists(join(directory, 'shallow')))
      if (missing.value.length === 0 && !lacksHistory) return ok(directory)
      const fetched =
        needs.history === true
          ? await inTime(complete(id, directory, needs.commits), HISTORY_WAIT_MS, LATE)
          : await fetchOnce(id, directory, needs)
      return fetched.ok ? ok(directory) : fetched
    },

    /** Keeps a commit that was made here. */
    note: (directory: string, commit: ObjectId): GitAnswer<unknown> =>
      gitOutput(directory, ['update-ref', `${SEEN}${commit}`, commit]),
  }
}

export type MirrorStore = ReturnType<typeof createMirrorStore>

/** The failure for whoever needs a long history, which goes on arriving: the next who asks may find it there. */
const LATE = err({ kind: 'git_host_timeout' } as const)

async function missingOf(
  directory: string,
  commits: readonly ObjectId[],
): GitAnswer<readonly ObjectId[]> {
  const wanted = [...new Set(commits)]
  const found = await resolveObjects(
    directory,
    wanted.map((commit) => `${commit}^{commit}`),
  )
  return found.ok ? ok(wanted.filter((_, index) => found.value[index] === null)) : found
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

const isEmpty = async (directory: string): Promise<boolean> =>
  !(await exists(join(directory, SEEN))) && !(await exists(join(directory, 'packed-refs')))

/** The commits whose parents are missing, as git writes them. `null`: the history is whole. */
const boundaryOf = (directory: string): Promise<string | null> =>
  readFile(join(directory, 'shallow'), 'utf8').catch(() => null)
