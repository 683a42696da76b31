import { access, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
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
const DEEPENED_AT_ONCE = 20_000
/** For a request that needs the history. */
const HISTORY_WAIT_MS = 30_000
const PACKS = 'objects/pack'
const LOCKED = /\.lock': File exists|could not lock|unable to lock|shallow file has changed/i
const LOCKED_ATTEMPTS = 3
const LOCKED_PAUSE_MS = 100
const ASIDE = '.aside'
const ASIDE_AGE_MS = 60 * 60_000

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
  const discards = createSingleFlight<boolean>()
  const remadeAt = new Map<string, number>()
  const fetchesOf = new Map<string, number>()
  const keyOf = ({ owner, name }: RepositoryId) => `${owner}/${name}`

  /** The directory of the mirror. Whole from its beginning: several processes may make it at once. */
  async function locate(id: RepositoryId): Promise<Result<string, GitFailure>> {
    const key = keyOf(id)
    const directory = join(root, id.owner, `${id.name}.git`)
    if (await exists(join(directory, 'HEAD'))) return ok(directory)
    return made.join(key, async () => {
      await removeAside(directory)
      const fresh = asideOf(directory)
      const done = await gitText(fresh, ['init', '--quiet', '--bare', '--template=', fresh])
      if (!done.ok) return done
      const place = () => rename(fresh, directory).catch(() => {})
      await place()
      if (!(await exists(join(directory, 'HEAD')))) {
        // The rest of one that is no repository any more.
        await moveAway(directory)
        await place()
      }
      await rm(fresh, { recursive: true, force: true })
      return (await exists(join(directory, 'HEAD')))
        ? ok(directory)
        : err(hostError('no folder for mirrors can be made'))
    })
  }

  /**
   * Moves a mirror away that was damaged for a reader who began at `since`, by `performance.now()`. `false`: it was made again before that, a
   * moment ago, so that the host itself has the damage.
   */
  function discard(id: RepositoryId, since: number): Promise<boolean> {
    const key = keyOf(id)
    return discards.join(key, async () => {
      const last = remadeAt.get(key) ?? -Infinity
      if (last > since) return true
      if (performance.now() - last < REMAKE_AFTER_MS) return false
      const directory = join(root, id.owner, `${id.name}.git`)
      await inTurn(directory, () => moveAway(directory))
      remadeAt.set(key, performance.now())
      return true
    })
  }

  /** Another process with this folder may fetch at the same moment. */
  async function fetch(...request: Parameters<typeof fetchNow>): Promise<Result<void, GitFailure>> {
    for (let attempt = 0; ; attempt += 1) {
      const fetched = await fetchNow(...request)
      const isLocked =
        !fetched.ok && fetched.error.kind === 'git_host_error' && LOCKED.test(fetched.error.reason)
      if (!isLocked || attempt === LOCKED_ATTEMPTS) return fetched
      await Bun.sleep(LOCKED_PAUSE_MS * 2 ** attempt)
    }
  }

  async function fetchNow(
    id: RepositoryId,
    directory: string,
    commits: readonly ObjectId[],
    depth: readonly string[],
  ): Promise<Result<void, GitFailure>> {
    const before = await arriving(directory)
    const tooLarge = new AbortController()
    const watch = setInterval(() => {
      void packBytes(directory, before).then((bytes) => bytes > PACK_BYTES_MAX && tooLarge.abort())
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
    if (output.ok && output.value.code === 0) return ok(undefined)
    // Git leaves the part of a pack that has arrived.
    for (const name of await arriving(directory)) {
      if (!before.has(name)) await rm(join(directory, PACKS, name), { force: true })
    }
    if (tooLarge.signal.aborted) return err(hostError('the host sent more than a mirror may take'))
    if (!output.ok) return output
    return MISSING_COMMIT.test(output.value.stderr)
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
        if (history && isShallow)
          return fetch(id, directory, commits, [`--deepen=${DEEPENED_AT_ONCE}`])
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

  /** The whole history, in steps that are kept and between which others may fetch. */
  function complete(
    id: RepositoryId,
    directory: string,
    commits: readonly ObjectId[],
  ): Promise<Result<void, GitFailure>> {
    return fetches.join(`${directory} complete ${commits.join(' ')}`, async () => {
      let boundary = await boundaryOf(directory)
      const missing = await missingOf(directory, commits)
      if (!missing.ok) return missing
      if (missing.value.length > 0) {
        const fetched = await fetchOnce(id, directory, { commits, history: boundary === null })
        if (!fetched.ok) return fetched
      }
      for (boundary = await boundaryOf(directory); boundary !== null;) {
        const fetched = await fetchOnce(id, directory, { commits, history: true })
        if (!fetched.ok) return fetched
        const next = await boundaryOf(directory)
        // Rewritten since the first fetch: the host does not have its commit any more.
        if (next === boundary) return err(hostError('the mirror has a shallow history'))
        boundary = next
      }
      return ok(undefined)
    })
  }

  /** The history that a first fetch left out, before somebody asks for it. The next who needs it reports a failure. */
  async function completeLater(id: RepositoryId, commits: readonly ObjectId[]): Promise<void> {
    const located = await locate(id)
    if (!located.ok) return
    const done = await complete(id, located.value, commits)
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
      const fetched =
        needs.history === true
          ? await soon(complete(id, directory, needs.commits))
          : await fetchOnce(id, directory, needs)
      return fetched.ok ? ok(directory) : fetched
    },

    /** Keeps a commit that was made here. */
    note: (directory: string, commit: ObjectId): Promise<Result<unknown, GitFailure>> =>
      gitOutput(directory, ['update-ref', `${SEEN}${commit}`, commit]),
  }
}

/** A long history goes on arriving; the next who asks may find it there. */
async function soon(work: Promise<Result<void, GitFailure>>): Promise<Result<void, GitFailure>> {
  const late = Promise.withResolvers<Result<void, GitFailure>>()
  const timer = setTimeout(() => late.resolve(err({ kind: 'git_host_timeout' })), HISTORY_WAIT_MS)
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer))
}

/** Readers that began before lose nothing of what they have opened. */
async function moveAway(directory: string): Promise<void> {
  const aside = asideOf(directory)
  await rename(directory, aside).catch(() => {})
  await rm(aside, { recursive: true, force: true }).catch(() => {})
}

/** A place beside a mirror, for what is half made or given up. */
const asideOf = (directory: string): string => `${directory}.${crypto.randomUUID()}${ASIDE}`

/** Removes what a process that died has left there. */
async function removeAside(directory: string): Promise<void> {
  const [folder, name] = [dirname(directory), basename(directory)]
  for (const entry of await readdir(folder).catch(() => [])) {
    const isOld = async () => Date.now() - (await stat(join(folder, entry))).mtimeMs > ASIDE_AGE_MS
    if (!entry.startsWith(`${name}.`) || !entry.endsWith(ASIDE)) continue
    if (await isOld().catch(() => false))
      await rm(join(folder, entry), { recursive: true, force: true })
  }
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

const isEmpty = async (directory: string): Promise<boolean> =>
  !(await exists(join(directory, SEEN))) && !(await exists(join(directory, 'packed-refs')))

/** The commits whose parents are missing, as git writes them. `null`: the history is whole. */
const boundaryOf = (directory: string): Promise<string | null> =>
  readFile(join(directory, 'shallow'), 'utf8').catch(() => null)

/** Names of the packs that are arriving, or whose arrival broke off. */
async function arriving(directory: string): Promise<ReadonlySet<string>> {
  const names = await readdir(join(directory, PACKS)).catch(() => [])
  return new Set(names.filter((name) => name.startsWith('tmp_')))
}

/** Size of the pack that is arriving. */
async function packBytes(directory: string, before: ReadonlySet<string>): Promise<number> {
  const names = [...(await arriving(directory))].filter((name) => !before.has(name))
  return Math.max(0, ...names.map((name) => Bun.file(join(directory, PACKS, name)).size))
}
