import { readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { InTurn } from '../concurrency/queue.ts'
import { createSingleFlight } from '../concurrency/single-flight.ts'
import { removeAbandoned } from '../files/abandoned.ts'
import type { RepositoryId } from '../names.ts'
import type { GitAnswer, GitResult } from '../ports/git-host.ts'
import { err, ok } from '../result.ts'
import { gitText, hostError } from './git.ts'

const REMAKE_AFTER_MS = 60_000
const ASIDE = '.aside'
const ASIDE_AGE_MS = 60 * 60_000
const DAY_MS = 24 * 60 * 60_000
const UNUSED_MS = 30 * DAY_MS

/** The folders of mirrors below `root`. Several processes may share it. `inTurn`: one change of a mirror at a time. */
export function createMirrorFolders(root: string, inTurn: InTurn) {
  const made = createSingleFlight<GitResult<string>>()
  const discards = createSingleFlight<boolean>()
  const remadeAt = new Map<string, number>()
  /** When this process last marked each mirror as used, by its directory. */
  const markedAt = new Map<string, number>()
  let sweptAt = -Infinity
  let swept = Promise.resolve()
  const directoryOf = ({ owner, name }: RepositoryId) => join(root, owner, `${name}.git`)

  /** The time of its folder tells when a mirror was last used, to a day. */
  async function markUsed(directory: string): Promise<void> {
    const now = Date.now()
    if (now - (markedAt.get(directory) ?? -Infinity) < DAY_MS) return
    await setTime(directory, now)
    markedAt.set(directory, now)
  }

  /** The mirrors of this process stay: it may have them open. */
  async function sweep(now: number): Promise<void> {
    for (const directory of markedAt.keys()) await setTime(directory, now)
    void removeAll(await moveUnused(root))
  }

  /** Once a day. Nobody locates a mirror meanwhile, so that none is moved away that is about to be used. */
  function sweepDaily(): Promise<void> {
    const now = Date.now()
    if (now - sweptAt >= DAY_MS) {
      sweptAt = now
      swept = sweep(now)
    }
    return swept
  }

  return {
    /** The directory of the mirror. Whole from its beginning: several processes may make it at once. */
    async locate(id: RepositoryId): GitAnswer<string> {
      await sweepDaily()
      const directory = directoryOf(id)
      if (!(await isRepository(directory))) {
        const fresh = await made.join(directory, () => make(directory))
        if (!fresh.ok) return fresh
      }
      await markUsed(directory)
      return ok(directory)
    },

    /**
     * Moves a mirror away that was damaged for a reader who began at `since`, by `performance.now()`. `false`: it was made again before
     * that, a moment ago, so that the host itself has the damage.
     */
    discard(id: RepositoryId, since: number): Promise<boolean> {
      const directory = directoryOf(id)
      return discards.join(directory, async () => {
        const last = remadeAt.get(directory) ?? -Infinity
        if (last > since) return true
        if (performance.now() - last < REMAKE_AFTER_MS) return false
        await inTurn(directory, () => moveAway(directory))
        remadeAt.set(directory, performance.now())
        return true
      })
    },
  }
}

const setTime = (directory: string, now: number): Promise<void> =>
  utimes(directory, new Date(now), new Date(now)).catch(() => {})

const isRepository = (directory: string): Promise<boolean> =>
  stat(join(directory, 'HEAD')).then(
    () => true,
    () => false,
  )

/**
 * Moves the mirrors away that nobody has used for a month: one that was removed where it is would be there in part for whoever shares the
 * folder, and after a kill. Returns what lies beside mirrors now, also of processes that died.
 */
async function moveUnused(folder: string): Promise<readonly string[]> {
  const asides: string[] = []
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name)
    if (!entry.isDirectory()) continue
    if (entry.name.endsWith(ASIDE)) asides.push(path)
    else if (!entry.name.endsWith('.git')) asides.push(...(await moveUnused(path)))
    else if (await isUnused(path)) {
      const aside = asideOf(path)
      await rename(path, aside).catch(() => {})
      asides.push(aside)
    }
  }
  return asides
}

const isUnused = (directory: string): Promise<boolean> =>
  stat(directory).then(
    ({ mtimeMs }) => Date.now() - mtimeMs > UNUSED_MS,
    () => false,
  )

async function removeAll(asides: readonly string[]): Promise<void> {
  for (const aside of asides) await removeAbandoned(aside, ASIDE_AGE_MS).catch(() => {})
}

async function make(directory: string): GitAnswer<string> {
  const fresh = asideOf(directory)
  const done = await gitText(fresh, ['init', '--quiet', '--bare', '--template=', fresh])
  if (!done.ok) return done
  const place = () => rename(fresh, directory).catch(() => {})
  await place()
  if (!(await isRepository(directory))) {
    // The rest of one that is no repository any more.
    await moveAway(directory)
    await place()
  }
  await rm(fresh, { recursive: true, force: true })
  return (await isRepository(directory))
    ? ok(directory)
    : err(hostError('no folder for mirrors can be made'))
}

/** Readers that began before lose nothing of what they have opened. */
async function moveAway(directory: string): Promise<void> {
  const aside = asideOf(directory)
  await rename(directory, aside).catch(() => {})
  await rm(aside, { recursive: true, force: true }).catch(() => {})
}

/** A place beside a mirror, for what is half made or given up. */
const asideOf = (directory: string): string => `${directory}.${crypto.randomUUID()}${ASIDE}`
