import { statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createLru } from '../concurrency/lru.ts'
import { createNextFlight } from '../concurrency/next-flight.ts'
import { ifMissing } from '../files/errno.ts'
import type { GitAnswer, GitResult } from '../ports/git-host.ts'
import { err, ok } from '../result.ts'
import { hostError } from './git.ts'
import { readAllRefs, type Refs } from './refs.ts'

const REPOSITORIES_MAX = 1_000
/** The clock of a file system ticks with that of its kernel, at least a hundred times a second, or counts whole seconds, or pairs of them. */
const TICK_MS = 20
const COARSE_TICK_MS = 2_000
/** The time of a folder does not tell of a file in it that was written by hand, and network file systems tell of writes of other machines late. */
const AGE_MS_MAX = 1_000
/** Files and folders of a repository that git replaces when a ref changes; `reftable` is where newer versions keep them all. */
const STORES = ['HEAD', 'packed-refs', 'reftable']
const LOOSE = 'refs'

interface Place {
  readonly path: string
  /** Empty: there is no such file. */
  readonly mark: string
}

interface Kept {
  readonly refs: Refs
  readonly places: readonly Place[]
  readonly readAt: number
}

/**
 * Refs of local repositories, as they are when they are asked for, whichever process changes them. Git is asked again when the time of
 * a file or folder of theirs has changed: it replaces files by renames, which change the folder. `now`: that of the file system, in milliseconds.
 */
export function createKeptRefs(now: () => number = Date.now) {
  const kept = createLru<string, Kept>(REPOSITORIES_MAX)
  const flights = createNextFlight<GitResult<Refs>>()

  async function read(directory: string): GitAnswer<Refs> {
    try {
      const known = kept.get(directory)
      const readAt = now()
      if (known !== undefined && isYoung(known, readAt) && isUnchanged(known)) return ok(known.refs)
      kept.delete(directory)
      // Before git reads: what changes meanwhile changes them too. A folder may go while they are looked for.
      const places = await placesOf(directory).catch(ifMissing(null))
      const refs = await readAllRefs(directory)
      const isKeepable = places?.every(({ changedMs }) => isSettled(changedMs, readAt)) === true
      if (isKeepable && refs.ok && refs.value.broken === null) {
        kept.set(directory, { refs: refs.value, places, readAt })
      }
      return refs
    } catch (cause) {
      return err(hostError(`the refs cannot be read: ${String(cause)}`))
    }
  }

  return (directory: string): GitAnswer<Refs> => flights(directory, () => read(directory))
}

/** Two changes within one tick of a file system's clock have one time: whether a change at `readAt` has another than `changedMs`. */
export function isSettled(changedMs: number, readAt: number): boolean {
  const tickMs = changedMs % 1_000 === 0 ? COARSE_TICK_MS : TICK_MS
  return changedMs < readAt - tickMs
}

/** Files and folders whose times tell of each change of a ref. */
async function placesOf(directory: string) {
  const loose = join(directory, LOOSE)
  const entries = await readdir(loose, { recursive: true, withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory())
  const paths = [
    ...STORES.map((name) => join(directory, name)),
    loose,
    ...folders.map(({ parentPath, name }) => join(parentPath, name)),
  ]
  return paths.map((path) => ({ path, ...markOf(path) }))
}

const isYoung = ({ readAt }: Kept, at: number) => at >= readAt && at - readAt < AGE_MS_MAX

const isUnchanged = ({ places }: Kept) =>
  places.every(({ path, mark }) => markOf(path).mark === mark)

/** Waiting for the answers of the file system in other threads would take ten times as long. */
function markOf(path: string) {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path)
    return { mark: `${ino} ${size} ${mtimeMs} ${ctimeMs}`, changedMs: Math.max(mtimeMs, ctimeMs) }
  } catch (cause) {
    return ifMissing({ mark: '', changedMs: 0 })(cause)
  }
}
