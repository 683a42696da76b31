import { lstat, open, rmdir, unlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { createSingleFlight } from '../../concurrency/single-flight.ts'
import { errnoOf, ifMissing, leaveBehind } from '../../files/errno.ts'
import type { Sha256 } from '../../names.ts'
import type { CachedAsset } from '../../ports/asset-cache.ts'

const READ_BYTES = 256 * 1024

/** Differs as soon as a file has been replaced or written to. */
interface FileState {
  readonly inode: number
  readonly size: number
  readonly mtimeMs: number
}

/**
 * The copies in a folder, by digest. A file that this process has not written, or that has changed since, is read through
 * before it is handed out: another process, a power cut or a person may have left anything there.
 */
export function createCopies(folder: string) {
  const verified = new Map<Sha256, FileState>()
  const verifying = createSingleFlight<boolean>()
  const pathOf = (sha256: Sha256) => join(folder, sha256)

  async function stateOf(sha256: Sha256): Promise<FileState | undefined> {
    const path = pathOf(sha256)
    const found = await lstat(path).catch(ifMissing(undefined))
    if (found === undefined) return undefined
    if (found.isFile()) return { inode: found.ino, size: found.size, mtimeMs: found.mtimeMs }
    // Reading a pipe would never end, and any other entry would block the name of the copy. A folder is removed if it is empty.
    await (found.isDirectory() ? rmdir(path) : unlink(path)).catch(leaveBehind)
    return undefined
  }

  /** Records the use of a copy; `false`: it is gone. A read-only disk makes no room, so that it needs no record. */
  const touch = (sha256: Sha256, mtimeMs: number): Promise<boolean> =>
    utimes(pathOf(sha256), Date.now() / 1000, mtimeMs / 1000).then(
      () => true,
      (cause: unknown) => {
        if (errnoOf(cause) === undefined) throw cause
        return errnoOf(cause) !== 'ENOENT'
      },
    )

  /** Marks the file with this inode as verified, if it is still there. */
  async function trust(sha256: Sha256, inode: number): Promise<void> {
    const before = await stateOf(sha256)
    if (before?.inode !== inode) return
    // `find` sets the modification time again, which some file systems round.
    await touch(sha256, before.mtimeMs)
    const after = await stateOf(sha256)
    if (after?.inode === inode && after.size === before.size) verified.set(sha256, after)
  }

  async function verify(sha256: Sha256): Promise<boolean> {
    const before = await stateOf(sha256)
    if (before === undefined) return false
    const digest = await digestOf(pathOf(sha256))
    const after = await stateOf(sha256)
    // Another process is replacing it.
    if (after === undefined || !isSame(before, after)) return false
    if (digest === sha256) await trust(sha256, before.inode)
    else await unlink(pathOf(sha256)).catch(leaveBehind)
    return digest === sha256
  }

  return {
    async find(sha256: Sha256): Promise<CachedAsset | undefined> {
      const current = await stateOf(sha256)
      if (current === undefined) return undefined
      if (
        !isSame(verified.get(sha256), current) &&
        !(await verifying.join(sha256, () => verify(sha256)))
      )
        return undefined
      const state = verified.get(sha256)
      if (state === undefined || !(await touch(sha256, state.mtimeMs))) return undefined
      return { sha256, sizeBytes: state.size, content: Bun.file(pathOf(sha256)) }
    },

    trust,
  }
}

const isSame = (one: FileState | undefined, other: FileState): boolean =>
  one?.inode === other.inode && one.size === other.size && one.mtimeMs === other.mtimeMs

async function digestOf(path: string): Promise<string | undefined> {
  const file = await open(path).catch(ifMissing(undefined))
  if (file === undefined) return undefined
  try {
    const hash = new Bun.CryptoHasher('sha256')
    const buffer = new Uint8Array(READ_BYTES)
    for (;;) {
      const { bytesRead } = await file.read(buffer)
      if (bytesRead === 0) return hash.digest('hex')
      hash.update(buffer.subarray(0, bytesRead))
    }
  } finally {
    await file.close()
  }
}
