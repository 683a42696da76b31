import { lstat, mkdir, readdir, statfs, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { ifMissing, leaveBehind } from '../../files/errno.ts'

/** A copy that was handed out is open milliseconds later. */
const JUST_USED_MS = 10_000
/**
 * A living writer writes more often, since a stalled stream is ended sooner. Host names and process ids do not identify a
 * writer: two containers can have the same.
 */
const ABANDONED_AFTER_MS = 300_000
/** Unit of `blocks` in `stat`, on any disk. */
const BLOCK_BYTES = 512
const RESERVE_MIN_BYTES = 256e6
const RESERVE_MAX_BYTES = 1e9

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
  readonly path: string
  readonly inode: number
  readonly size: number
  /** Bytes without blocks on the disk yet. */
  readonly unwritten: number
  /** Last use of a copy. */
  readonly atimeMs: number
  readonly mtimeMs: number
}

async function filesIn(folder: string): Promise<readonly FileInFolder[]> {
  const names = await readdir(folder).catch(ifMissing([]))
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      const found = await lstat(path).catch(ifMissing(undefined))
      if (found === undefined || !found.isFile()) return []
      const { ino: inode, size, blocks, atimeMs, mtimeMs } = found
      const unwritten = Math.max(0, size - blocks * BLOCK_BYTES)
      return [{ path, inode, size, unwritten, atimeMs, mtimeMs }]
    }),
  )
  return files.flat()
}

const remove = ({ path }: FileInFolder) => unlink(path).catch(leaveBehind)

/** Removes files whose writer is gone. */
export async function sweep({ incoming }: CacheFolder): Promise<void> {
  const now = Date.now()
  for (const file of await filesIn(incoming)) {
    if (now - file.mtimeMs > ABANDONED_AFTER_MS) await remove(file)
  }
}

/**
 * Removes the least recently used copies until the folder is within `maxBytes` and the disk has room for every file that is
 * being written, plus the reserve. `false`: that is impossible, and nothing was removed. Files being written count with
 * their full size, those of other processes too.
 */
export async function makeRoom(
  folder: CacheFolder,
  {
    maxBytes,
    reserveBytes,
  }: { readonly maxBytes: number; readonly reserveBytes: number | undefined },
): Promise<boolean> {
  const incoming = await filesIn(folder.incoming)
  const copies = await filesIn(folder.copies)
  // A file that became a copy meanwhile is in both lists.
  const sizes = new Map([...incoming, ...copies].map(({ inode, size }) => [inode, size]))
  const disk = await diskOf(folder.incoming)
  const needed = sum(incoming.map(({ unwritten }) => unwritten)) + (reserveBytes ?? disk.reserve)
  let excess = Math.max(sum([...sizes.values()]) - maxBytes, needed - disk.free)
  const victims: FileInFolder[] = []
  const now = Date.now()
  for (const copy of copies.toSorted((one, other) => one.atimeMs - other.atimeMs)) {
    if (excess <= 0 || now - copy.atimeMs < JUST_USED_MS) break
    victims.push(copy)
    excess -= copy.size
  }
  if (excess > 0) return false
  for (const victim of victims) await remove(victim)
  return true
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)

/** Free bytes of a disk, and the default reserve: a twentieth of the disk, within bounds. */
async function diskOf(path: string): Promise<{ readonly free: number; readonly reserve: number }> {
  const { bavail, blocks, bsize } = await statfs(path)
  const bytes = blocks * bsize
  const reserve = Math.min(Math.max(bytes / 20, RESERVE_MIN_BYTES), RESERVE_MAX_BYTES, bytes / 4)
  return { free: bavail * bsize, reserve }
}
