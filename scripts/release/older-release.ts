import type { Dirent } from 'node:fs'
import { lstat, readdir, rename, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { ReleaseFailure } from './release-failure.ts'

export const CHECKSUMS = 'SHA256SUMS'
const OURS = /^portico-[\w.+-]+$/

/** File names of the release in a folder, none without a folder. A folder with other content is a failure. */
export async function olderRelease(folder: string): Promise<readonly string[]> {
  const found = await lstat(folder).catch(() => undefined)
  if (found === undefined) return []
  const entries = found.isDirectory() ? await readdir(folder, { withFileTypes: true }) : null
  if (entries === null || !isRelease(entries)) {
    throw new ReleaseFailure(`${folder} exists and is not a release`)
  }
  return entries.map(({ name }) => name)
}

/** Whether all entries are files of a release; an empty folder counts as one. */
function isRelease(entries: readonly Dirent[]): boolean {
  const isOurs = (entry: Dirent) =>
    entry.isFile() && (entry.name === CHECKSUMS || OURS.test(entry.name))
  return (
    entries.every(isOurs) &&
    (entries.length === 0 || entries.some(({ name }) => name === CHECKSUMS))
  )
}

/** Moves a release to its folder, after the files of the older release are removed by name. */
export async function replaceRelease(release: string, folder: string): Promise<void> {
  const older = await olderRelease(folder)
  for (const name of older) await unlink(join(folder, name))
  if (older.length > 0) await rmdir(folder)
  await rename(release, folder)
}
