import { mkdir, readdir, stat, statfs, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { ifMissing, leaveBehind } from './errno.ts'
import { isAbandoned } from './incoming-name.ts'

/** From when a copy is handed out until it is open there are milliseconds. */
const JUST_USED_MS = 10_000

export interface CacheFolder {
  readonly copies: string
  readonly incoming: string
}

export const cacheFolder = (directory: string): CacheFolder => ({
  copies: join(directory, 'sha256'),
  incoming: join(directory, 'incoming'),
})

export async function makeFolders({ copies, incoming }: CacheFolder): Promise<void> {
  for (const folder of [copies, incoming]) await mkdir(folder, { recursive: true, mode: 0o700 })
}

interface FileInFolder {
  readonly name: string
  readonly path: string
  readonly inode: number
  readonly size: number
  /** For copies: when they were last asked for. */
  readonly atimeMs: number
  readonly mtimeMs: number
}

async function filesIn(folder: string): Promise<readonly FileInFolder[]> {
  const names = await readdir(folder).catch(ifMissing([]))
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      const found = await stat(path).catch(ifMissing(undefined))
      if (found === undefined) return []
      const { ino: inode, size, atimeMs, mtimeMs } = found
      return [{ name, path, inode, size, atimeMs, mtimeMs }]
    }),
  )
  return files.flat()
}

const remove = ({ path }: FileInFolder) => unlink(path).catch(leaveBehind)

/** Removes what dead processes were writing. */
export async function sweep({ incoming }: CacheFolder): Promise<void> {
  const now = Date.now()
  for (const file of await filesIn(incoming)) {
    if (isAbandoned(file.name, file.mtimeMs, now)) await remove(file)
  }
}

/**
 * Brings the folder within its bounds, and the disk to having room for so many bytes, by removing the copies that were not
 * asked for longest; or says that it cannot, and removes none. What is being written counts with its whole size, here and in
 * other processes.
 */
export async function makeRoom(
  folder: CacheFolder,
  { bytes, maxBytes }: { readonly bytes: number; readonly maxBytes: number },
): Promise<boolean> {
  const incoming = await filesIn(folder.incoming)
  const copies = await filesIn(folder.copies)
  // One that became a copy meanwhile is in both.
  const sizes = new Map([...incoming, ...copies].map(({ inode, size }) => [inode, size]))
  const all = sizes.values().reduce((sum, size) => sum + size, 0)
  let tooMuch = Math.max(all - maxBytes, bytes - (await freeBytes(folder.incoming)))
  const victims: FileInFolder[] = []
  const now = Date.now()
  for (const copy of copies.toSorted((one, other) => one.atimeMs - other.atimeMs)) {
    if (tooMuch <= 0 || now - copy.atimeMs < JUST_USED_MS) break
    victims.push(copy)
    tooMuch -= copy.size
  }
  if (tooMuch > 0) return false
  for (const victim of victims) await remove(victim)
  return true
}

async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}
