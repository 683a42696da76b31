import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sha256 } from '../../names.ts'
import type {
  AssetCache,
  AssetCacheFailure,
  CachedAsset,
  ExpectedAsset,
} from '../../ports/asset-cache.ts'
import { err, ok, type Result } from '../../result.ts'
import { createCopies } from './copies.ts'
import { errnoOf, leaveBehind } from '../../files/errno.ts'
import { cacheFolder, makeFolders, makeRoom, sweep } from './folder.ts'
import { putInPlace } from './put-in-place.ts'
import { receive } from './receive.ts'

const STALL_MS = 30_000
const PLACING_ATTEMPTS = 3
/** The disk, a quota or the file system's largest file. */
const FULL: readonly (string | undefined)[] = ['ENOSPC', 'EDQUOT', 'EFBIG']

export interface DiskAssetCacheOptions {
  /** Created when it is missing. Several processes may share it. */
  readonly directory: string
  readonly maxBytes: number
  /** Space that stays free for other writers on the disk; by default a share of the disk. */
  readonly reserveBytes?: number
  /** A stream that brings next to nothing for this long has stalled. */
  readonly stallMs?: number
}

/**
 * Copies as files named by their digest. A file is written elsewhere, under a random name, and gets the name of a copy when
 * it is complete and verified. Nothing is flushed to the disk: a file that a power cut damaged fails its verification.
 */
export function createDiskAssetCache({
  directory,
  maxBytes,
  reserveBytes,
  stallMs = STALL_MS,
}: DiskAssetCacheOptions): AssetCache {
  const folder = cacheFolder(directory)
  const copies = createCopies(folder.copies)

  async function keep(
    expected: ExpectedAsset,
    stream: ReadableStream<Uint8Array>,
    signal: AbortSignal,
  ): Promise<Result<CachedAsset, AssetCacheFailure>> {
    const path = join(folder.incoming, crypto.randomUUID())
    let file: FileHandle | undefined
    try {
      await makeFolders(folder)
      await sweep(folder)
      file = await open(path, 'wx', 0o600)
      // Its full size at once, so that other processes that make room count it.
      await file.truncate(expected.sizeBytes)
      if (!(await makeRoom(folder, { maxBytes, reserveBytes }))) {
        return err({ kind: 'asset_cache_full' })
      }
      const received = await receive(stream, file, expected, { signal, stallMs })
      if (!received.ok) return received
      const { ino: inode } = await file.stat()
      const copy = await place(path, inode, received.value)
      return copy === undefined ? broken('the copy disappears as soon as it is written') : ok(copy)
    } catch (cause) {
      const errno = errnoOf(cause)
      if (errno === undefined) throw cause
      return FULL.includes(errno) ? err({ kind: 'asset_cache_full' }) : broken(errno)
    } finally {
      await file?.close()
      await unlink(path).catch(leaveBehind)
      if (!stream.locked) await stream.cancel().catch(() => {})
    }
  }

  /** Uses the copy of a faster process; `find` removes a bad one, and the next attempt takes its place. */
  async function place(
    path: string,
    inode: number,
    sha256: Sha256,
  ): Promise<CachedAsset | undefined> {
    for (let attempt = 0; attempt < PLACING_ATTEMPTS; attempt += 1) {
      const outcome = await putInPlace(path, join(folder.copies, sha256))
      if (outcome === 'placed') await copies.trust(sha256, inode)
      const found = await copies.find(sha256)
      if (found !== undefined) return found
    }
    return undefined
  }

  return {
    keep,
    /** A file that cannot be read counts as missing; the writer reports disk errors. */
    find: (sha256) => copies.find(sha256).catch(absent),
    sweep: () => sweep(folder).catch(leaveBehind),
  }
}

const absent = (cause: unknown): undefined => {
  if (errnoOf(cause) === undefined) throw cause
  return undefined
}

const broken = (reason: string) => err({ kind: 'asset_cache_broken', reason } as const)
