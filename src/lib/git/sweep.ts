import { join } from 'node:path'
import { removeAbandoned, sweepFolder } from '../files/abandoned.ts'
import { leaveBehind } from '../files/errno.ts'

/** No git process of ours holds a ref for longer: transfers and packing take their locks at the end. */
const LOCK_ABANDONED_MS = 60_000
/** Longer than any process of ours may run. */
const FILE_ABANDONED_MS = 60 * 60_000
const SWEEP_EVERY_MS = 10 * 60_000

/** No `RepositoryPart` and no digest starts like this: what is half made cannot be named. */
export const UNFINISHED = '.new-'

const everywhere = () => true
const nowhere = () => false
const isUnfinished = (name: string) => name.startsWith(UNFINISHED)
const isHalfWritten = (name: string) => /^\.?tmp[_-]|\.lock$/.test(name)
const isReport = (name: string) => name.startsWith('fast_import_crash_')

/** Rewriting the packed refs needs both. */
const PACKED_REFS = ['packed-refs.lock', 'packed-refs.new']

/** Removes the locks of dead processes that a change of these refs would meet. */
export async function removeLocks(directory: string, refs: readonly string[]): Promise<void> {
  const files = [...refs.map((ref) => `${ref}.lock`), 'HEAD.lock', ...PACKED_REFS]
  await Promise.all(files.map((file) => removeAbandoned(join(directory, file), LOCK_ABANDONED_MS)))
}

/**
 * Removes what crashes and full disks have left behind, when a repository is first used and then every ten minutes. A lock would
 * stop pushes and packing, which cannot wait for `removeLocks`; everything else only takes space.
 */
export function createSweeper() {
  const swept = new Map<string, { readonly at: number; readonly done: Promise<void> }>()

  const oncePerWhile =
    (sweep: (folder: string) => Promise<void>) =>
    (folder: string): Promise<void> => {
      const now = performance.now()
      const last = swept.get(folder)
      if (last !== undefined && now - last.at < SWEEP_EVERY_MS) return last.done
      // A file that cannot be removed stays. A folder that cannot be read stops the next use, with a reason.
      const done = sweep(folder).catch(leaveBehind)
      swept.set(folder, { at: now, done })
      return done
    }

  return {
    repository: oncePerWhile(sweepRepository),
    /** The repositories of one owner that were never finished. */
    owner: oncePerWhile((folder) =>
      sweepFolder(folder, {
        ageMs: FILE_ABANDONED_MS,
        isTemporary: isUnfinished,
        enters: nowhere,
      }),
    ),
  }
}

async function sweepRepository(directory: string): Promise<void> {
  const lockAge = {
    ageMs: LOCK_ABANDONED_MS,
    isTemporary: (name: string) => name.endsWith('.lock') || PACKED_REFS.includes(name),
  }
  const fileAge = { ageMs: FILE_ABANDONED_MS }
  await sweepFolder(directory, { ...lockAge, enters: nowhere })
  // All others change by `updateRefs` alone.
  for (const pushed of ['refs/heads', 'refs/tags']) {
    await sweepFolder(join(directory, pushed), { ...lockAge, enters: everywhere })
  }
  await sweepFolder(join(directory, 'objects'), {
    ...fileAge,
    isTemporary: isHalfWritten,
    enters: everywhere,
  })
  await sweepFolder(directory, { ...fileAge, isTemporary: isReport, enters: nowhere })
}
