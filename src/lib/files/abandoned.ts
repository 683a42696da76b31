import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ifMissing, leaveBehind } from './errno.ts'

/**
 * Removes a file or folder that nobody has changed for so long that its writer must be dead. A date in the future means that the
 * clock was set back, not that the writer lives.
 */
export async function removeAbandoned(path: string, ageMs: number): Promise<void> {
  const found = await stat(path).catch(ifMissing(undefined))
  if (found === undefined || Math.abs(Date.now() - found.mtimeMs) < ageMs) return
  await rm(path, { recursive: true, force: true }).catch(leaveBehind)
}

interface Sweep {
  readonly ageMs: number
  readonly isTemporary: (name: string) => boolean
  /** Into which folders to look. */
  readonly enters: (name: string) => boolean
}

/** Removes what dead writers have left in a folder. Symbolic links are not followed. */
export async function sweepFolder(folder: string, sweep: Sweep): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(ifMissing([]))
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (sweep.isTemporary(entry.name)) await removeAbandoned(path, sweep.ageMs)
    else if (entry.isDirectory() && sweep.enters(entry.name)) await sweepFolder(path, sweep)
  }
}
