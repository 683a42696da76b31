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
import { errnoOf, leaveBehind } from '../../errno.ts'
import { cacheFolder, makeFolders, makeRoom, sweep } from './folder.ts'
import { putInPlace } from './put-in-place.ts'
import { receive } from './receive.ts'

const STALL_MS = 30_000
const PLACE_ATTEMPTS = 3
/** A disk, or the part of it that is ours, has no room left. */
const FULL: readonly (string | undefined)[] = ['ENOSPC', 'EDQUOT', 'EFBIG']

export interface DiskAssetCacheOptions {
  /** Made when it is missing. Several processes may share it. */
  readonly directory: string
  readonly maxBytes: number
  /** What is left free on the disk, which others write to as well. Without it, a part of the disk. */
  readonly reserveBytes?: number
  /** For how long a stream may bring next to nothing. */
  readonly stallMs?: number
}

/**
 * Copies as files that are called by their digest. One is written beside its place, under a name of its own, and gets its
 * place when it is complete and verified: what is interrupted never has the name of a copy. Nothing is flushed to the disk;
 * a file that a power cut has damaged does not have its digest, and is found out before it is handed out again.
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
      // With its size from the start, so that everybody else who makes room counts it.
      await file.truncate(expected.sizeBytes)
      if (!(await makeRoom(folder, { maxBytes, reserveBytes }))) {
        return err({ kind: 'asset_cache_full' })
      }
      const received = await receive(stream, file, expected, { signal, stallMs })
      if (!received.ok) return received
      const { ino: inode } = await file.stat()
      const kept = await place(path, inode, received.value)
      return kept === undefined ? broken('no copy stays in its place') : ok(kept)
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

  /** Where another process was faster, its copy is used; a bad one does not outlive being looked at. */
  async function place(
    path: string,
    inode: number,
    sha256: Sha256,
  ): Promise<CachedAsset | undefined> {
    for (let attempt = 0; attempt < PLACE_ATTEMPTS; attempt += 1) {
      const outcome = await putInPlace(path, join(folder.copies, sha256))
      if (outcome === 'placed') await copies.trust(sha256, inode)
      const found = await copies.find(sha256)
      if (found !== undefined) return found
    }
    return undefined
  }

  return {
    keep,
    /** What cannot be looked at is not there; that the disk is broken is said by who writes to it. */
    find: (sha256) => copies.find(sha256).catch(absent),
    sweep: () => sweep(folder).catch(leaveBehind),
  }
}

const absent = (cause: unknown): undefined => {
  if (errnoOf(cause) === undefined) throw cause
  return undefined
}

const broken = (reason: string) => err({ kind: 'asset_cache_broken', reason } as const)
