import type { Dirent } from 'node:fs'
import { lstat, readdir, rename, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { ReleaseFailure } from './release-failure.ts'

export const CHECKSUMS = 'SHA256SUMS'
const OURS = /^portico-[\w.+-]+$/

/** The files of the release in a folder: none where there is no folder. Another folder stays what it is. */
export async function olderRelease(folder: string): Promise<readonly string[]> {
  const found = await lstat(folder).catch(() => undefined)
  if (found === undefined) return []
  const entries = found.isDirectory() ? await readdir(folder, { withFileTypes: true }) : null
  if (entries === null || !isRelease(entries)) {
    throw new ReleaseFailure(`${folder} is there, and is not a release`)
  }
  return entries.map(({ name }) => name)
}

/** Every name is one of ours, and every one is a file. An empty folder is in nobody's way. */
function isRelease(entries: readonly Dirent[]): boolean {
  const isOurs = (entry: Dirent) =>
    entry.isFile() && (entry.name === CHECKSUMS || OURS.test(entry.name))
  return (
    entries.every(isOurs) &&
    (entries.length === 0 || entries.some(({ name }) => name === CHECKSUMS))
  )
}

/** Puts a release in its place. What is removed for it are files of the older one, by their names. */
export async function replaceRelease(made: string, folder: string): Promise<void> {
  const older = await olderRelease(folder)
  for (const name of older) await unlink(join(folder, name))
  if (older.length > 0) await rmdir(folder)
  await rename(made, folder)
}
