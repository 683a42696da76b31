import { lstat, open, rmdir, unlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sha256 } from '../../names.ts'
import type { CachedAsset } from '../../ports/asset-cache.ts'
import { errnoOf, ifMissing, leaveBehind } from '../../errno.ts'

const READ_BYTES = 256 * 1024
const VERIFY_ATTEMPTS = 3

/** The file that was looked at, and has not been written since. */
interface Seen {
  readonly inode: number
  readonly size: number
  readonly mtimeMs: number
}

/**
 * The copies in a folder, by digest. What this process has not written itself, or has been written since, it reads through
 * before it hands it out: another process, a power cut or a person may have left anything there.
 */
export function createCopies(folder: string) {
  const verified = new Map<Sha256, Seen>()
  const verifying = new Map<Sha256, Promise<boolean>>()

  const look = async (sha256: Sha256): Promise<Seen | undefined> => {
    const path = join(folder, sha256)
    const found = await lstat(path).catch(ifMissing(undefined))
    if (found === undefined) return undefined
    if (found.isFile()) return { inode: found.ino, size: found.size, mtimeMs: found.mtimeMs }
    // A pipe would never end, and anything else would be in the way of a copy for ever. A folder goes if it is empty.
    await (found.isDirectory() ? rmdir(path) : unlink(path)).catch(leaveBehind)
    return undefined
  }

  /** Says that it is asked for now, if it is there. A disk that cannot be written to has no need to know. */
  const touch = (sha256: Sha256, mtimeMs: number): Promise<boolean> =>
    utimes(join(folder, sha256), Date.now() / 1000, mtimeMs / 1000).then(
      () => true,
      (cause: unknown) => {
        if (errnoOf(cause) === undefined) throw cause
        return errnoOf(cause) !== 'ENOENT'
      },
    )

  /** Says that the file with this inode, if it is still there, has been verified. */
  async function trust(sha256: Sha256, inode: number): Promise<void> {
    const before = await look(sha256)
    if (before?.inode !== inode) return
    // As `find` will set it, which some file systems round.
    await touch(sha256, before.mtimeMs)
    const after = await look(sha256)
    if (after?.inode === inode && after.size === before.size) verified.set(sha256, after)
  }

  async function verify(sha256: Sha256): Promise<boolean> {
    const path = join(folder, sha256)
    for (let attempt = 0; attempt < VERIFY_ATTEMPTS; attempt += 1) {
      const before = await look(sha256)
      if (before === undefined) return false
      const digest = await digestOf(path)
      const after = await look(sha256)
      // Another process has put its own copy there.
      if (after === undefined || !isSame(before, after)) continue
      if (digest === sha256) await trust(sha256, before.inode)
      else await unlink(path).catch(leaveBehind)
      return digest === sha256
    }
    return false
  }

  /** One reading at a time, however many ask. */
  function verifyOnce(sha256: Sha256): Promise<boolean> {
    const going = verifying.get(sha256)
    if (going !== undefined) return going
    const started = verify(sha256).finally(() => verifying.delete(sha256))
    verifying.set(sha256, started)
    return started
  }

  return {
    async find(sha256: Sha256): Promise<CachedAsset | undefined> {
      const found = await look(sha256)
      if (found === undefined) return undefined
      if (!isSame(verified.get(sha256), found) && !(await verifyOnce(sha256))) return undefined
      const seen = verified.get(sha256)
      if (seen === undefined) return undefined
      if (!(await touch(sha256, seen.mtimeMs))) return undefined
      return { sha256, sizeBytes: seen.size, content: Bun.file(join(folder, sha256)) }
    },

    trust,
  }
}

const isSame = (one: Seen | undefined, other: Seen): boolean =>
  one?.inode === other.inode && one.size === other.size && one.mtimeMs === other.mtimeMs

async function digestOf(path: string): Promise<string | undefined> {
  const file = await open(path).catch(ifMissing(undefined))
  if (file === undefined) return undefined
  try {
    const hash = new Bun.CryptoHasher('sha256')
    const buffer = new Uint8Array(READ_BYTES)
    for (let position = 0; ;) {
      const { bytesRead } = await file.read(buffer, 0, READ_BYTES, position)
      if (bytesRead === 0) return hash.digest('hex')
      hash.update(buffer.subarray(0, bytesRead))
      position += bytesRead
    }
  } finally {
    await file.close()
  }
}
