import { access, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createQueue } from '../concurrency/queue.ts'
import { createSingleFlight } from '../concurrency/single-flight.ts'
import type { ObjectId, RepositoryId } from '../names.ts'
import type { GitFailure } from '../ports/git-host.ts'
import { err, ok, type Result } from '../result.ts'
import { complaintOf, gitOutput, gitText, hostError } from './git.ts'
import { resolveObjects } from './objects.ts'
import { MISSING_COMMIT, overNetwork, type Remote } from './remote.ts'

/** Each fetched commit has a ref of this name: fetches begin there, and the commit graph covers it. */
const SEEN = 'refs/portico/seen/'
const SEEN_MAX = 200
const FETCH_DEADLINE_MS = 5 * 60_000
const MAINTENANCE_DEADLINE_MS = 10 * 60_000
/** Each fetch leaves a pack. The first one of a process counts what those before it have left. */
const FETCHES_BEFORE_MAINTENANCE = 16
/** Upper bound of a pack that comes from a host. */
const PACK_BYTES_MAX = 4 * 1024 ** 3
const PACK_WATCH_MS = 500
const REMAKE_AFTER_MS = 60_000

export interface Needs {
  readonly commits: readonly ObjectId[]
  /** All ancestors too. */
  readonly history?: boolean
}

export interface MirrorStoreOptions {
  /** Folder of the mirrors. Several processes may share it. */
  readonly root: string
  readonly remote: Remote
}

/**
 * Bare repositories with the commits that were asked for. They are a cache: one that is deleted or damaged is made again, which costs a
 * fetch. The first fetch takes one commit without its history, which follows in the background.
 */
export function createMirrorStore({ root, remote }: MirrorStoreOptions) {
  const made = createSingleFlight<Result<string, GitFailure>>()
  const fetches = createSingleFlight<Result<void, GitFailure>>()
  const inTurn = createQueue()
  const known = new Map<string, string>()
  const remadeAt = new Map<string, number>()
  const fetchesOf = new Map<string, number>()
  const keyOf = ({ owner, name }: RepositoryId) => `${owner}/${name}`

  /** The directory of the mirror. `git init` completes one that a dead process left unfinished. */
  async function locate(id: RepositoryId): Promise<Result<string, GitFailure>> {
    const key = keyOf(id)
    const directory = known.get(key)
    if (directory !== undefined && (await exists(join(directory, 'HEAD')))) return ok(directory)
    return made.join(key, async () => {
      const directory = join(root, id.owner, `${id.name}.git`)
      const init = ['init', '--quiet', '--bare', '--template=', directory]
      const done = await gitText(directory, init)
      if (!done.ok) {
        // Such as a broken configuration, or the lock of a dead process.
        await moveAway(directory)
        const again = await gitText(directory, init)
        if (!again.ok) return again
      }
      known.set(key, directory)
      return ok(directory)
    })
  }

  /**
   * Moves a mirror away that was damaged for a reader who began at `since`, by `performance.now()`. `false`: it was made again before that, a
   * moment ago, so that the host itself has the damage.
   */
  async function discard(id: RepositoryId, since: number): Promise<boolean> {
    const key = keyOf(id)
    const now = performance.now()
    const last = remadeAt.get(key) ?? -Infinity
    if (last > since) return true
    if (now - last < REMAKE_AFTER_MS) return false
    remadeAt.set(key, now)
    const directory = known.get(key)
    if (directory === undefined) return false
    await inTurn(directory, async () => {
      known.delete(key)
      await moveAway(directory)
    })
    return true
  }

  async function fetch(
    id: RepositoryId,
    directory: string,
    commits: readonly ObjectId[],
    depth: readonly string[],
  ): Promise<Result<void, GitFailure>> {
    const tooLarge = new AbortController()
    const watch = setInterval(() => {
      void packBytes(directory).then((bytes) => bytes > PACK_BYTES_MAX && tooLarge.abort())
    }, PACK_WATCH_MS)
    const output = await overNetwork(
      remote,
      id,
      directory,
      (url) => [
        'fetch',
        '--quiet',
        '--no-tags',
        '--no-write-fetch-head',
        '--no-auto-maintenance',
        ...depth,
        '--end-of-options',
        url,
        ...commits.map((commit) => `+${commit}:${SEEN}${commit}`),
      ],
      { deadlineMs: FETCH_DEADLINE_MS, signal: tooLarge.signal },
    ).finally(() => clearInterval(watch))
    if (tooLarge.signal.aborted) return err(hostError('the host sent more than a mirror may take'))
    if (!output.ok) return output
    const { code, stderr } = output.value
    if (code === 0) return ok(undefined)
    return MISSING_COMMIT.test(stderr)
      ? err({ kind: 'git_not_found', what: 'commit' })
      : err(complaintOf(['fetch'], output.value))
  }

  /** One fetch of a repository at a time; equal ones are one. */
  function fetchOnce(
    id: RepositoryId,
    directory: string,
    { commits, history = false }: Needs,
  ): Promise<Result<void, GitFailure>> {
    return fetches.join(`${directory} ${history} ${commits.join(' ')}`, () =>
      inTurn(directory, async () => {
        const missing = await missingOf(directory, commits)
        if (!missing.ok) return missing
        const isShallow = await exists(join(directory, 'shallow'))
        if (history && isShallow) return fetch(id, directory, commits, ['--unshallow'])
        if (missing.value.length === 0) return ok(undefined)
        const isFirst = !history && !isShallow && (await isEmpty(directory))
        const fetched = await fetch(id, directory, missing.value, isFirst ? ['--depth=1'] : [])
        if (!fetched.ok) return fetched
        if (isFirst) void completeLater(id, missing.value)
        void maintainNowAndThen(directory)
        return fetched
      }),
    )
  }

  /** The history that a first fetch left out, before somebody asks for it. The next who needs it reports a failure. */
  async function completeLater(id: RepositoryId, commits: readonly ObjectId[]): Promise<void> {
    const located = await locate(id)
    if (!located.ok) return
    const done = await fetchOnce(id, located.value, { commits, history: true })
    if (done.ok) await maintain(located.value)
  }

  async function maintainNowAndThen(directory: string): Promise<void> {
    const fetches = (fetchesOf.get(directory) ?? 0) + 1
    fetchesOf.set(directory, fetches)
    if (fetches % FETCHES_BEFORE_MAINTENANCE === 1) await maintain(directory)
  }

  return {
    locate,
    discard,

    /** The directory of the mirror, with these commits. */
    async withCommits(id: RepositoryId, needs: Needs): Promise<Result<string, GitFailure>> {
      const located = await locate(id)
      if (!located.ok) return located
      const directory = located.value
      const missing = await missingOf(directory, needs.commits)
      if (!missing.ok) return missing
      const lacksHistory = needs.history === true && (await exists(join(directory, 'shallow')))
      if (missing.value.length === 0 && !lacksHistory) return ok(directory)
      const fetched = await fetchOnce(id, directory, needs)
      if (!fetched.ok) return fetched
      // Its history was rewritten since the first fetch, whose commit the host does not have any more.
      if (needs.history === true && (await exists(join(directory, 'shallow')))) {
        return err(hostError('the mirror has a shallow history'))
      }
      return ok(directory)
    },

    /** Keeps a commit that was made here. */
    note: (directory: string, commit: ObjectId): Promise<Result<unknown, GitFailure>> =>
      gitOutput(directory, ['update-ref', `${SEEN}${commit}`, commit]),
  }
}

/** Readers that began before lose nothing of what they have opened. */
async function moveAway(directory: string): Promise<void> {
  const aside = `${directory}.${crypto.randomUUID()}.broken`
  await rename(directory, aside).catch(() => {})
  await rm(aside, { recursive: true, force: true }).catch(() => {})
}

async function missingOf(
  directory: string,
  commits: readonly ObjectId[],
): Promise<Result<readonly ObjectId[], GitFailure>> {
  const wanted = [...new Set(commits)]
  const found = await resolveObjects(
    directory,
    wanted.map((commit) => `${commit}^{commit}`),
  )
  return found.ok ? ok(wanted.filter((_, index) => found.value[index] === null)) : found
}

/**
 * Joins small packs, without a look at what is reachable, and indexes which paths each commit changed. It runs beside requests, and a
 * failure costs only time.
 */
async function maintain(directory: string): Promise<void> {
  const options = { deadlineMs: MAINTENANCE_DEADLINE_MS }
  const refs = await gitText(directory, [
    'for-each-ref',
    '--sort=-creatordate',
    '--format=%(refname)',
    SEEN,
  ])
  const old = refs.ok ? refs.value.split('\n').slice(SEEN_MAX).filter(Boolean) : []
  if (old.length > 0) {
    const input = new Blob(old.map((ref) => `delete ${ref}\n`))
    await gitOutput(directory, ['update-ref', '--stdin'], { input })
  }
  await gitOutput(directory, ['repack', '--geometric=2', '-d', '-q'], options)
  const graph = [
    'commit-graph',
    'write',
    '--reachable',
    '--changed-paths',
    '--split',
    '--no-progress',
  ]
  await gitOutput(directory, graph, options)
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

const packsOf = (directory: string): Promise<readonly string[]> =>
  readdir(join(directory, 'objects/pack')).catch(() => [])

const isEmpty = async (directory: string): Promise<boolean> =>
  !(await exists(join(directory, SEEN))) && !(await exists(join(directory, 'packed-refs')))

/** Size of the pack that is arriving. */
async function packBytes(directory: string): Promise<number> {
  const names = (await packsOf(directory)).filter((name) => name.startsWith('tmp_pack'))
  const sizes = names.map((name) => Bun.file(join(directory, 'objects/pack', name)).size)
  return Math.max(0, ...sizes)
}
