import { randomUUID } from 'node:crypto'
import { open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { KeptBytes } from '../../ports/kept-bytes.ts'
import { err, ok } from '../../result.ts'
import { ifMissing } from '../../files/errno.ts'

const OWNER_ONLY = 0o600
const UNFINISHED = '.new'
/** A living writer writes more often. */
const ABANDONED_AFTER_MS = 300_000
const DIGEST = 'sha256'
const DIGEST_BYTES = 32

export interface KeptFileOptions {
  readonly path: string
  /** Identifies the format and the code that writes it, in one line. A file of another writer is not read. */
  readonly writer: string
}

/** A file of three parts: the writer, the bytes, and the digest of both. Its time of change is that of the last confirmation. */
export function createKeptFile({ path, writer }: KeptFileOptions): KeptBytes {
  const header = Buffer.from(`portico ${writer}\n`)

  return {
    async read() {
      const all = await readFile(path).catch(() => null)
      const found = await stat(path).catch(() => null)
      if (all === null || found === null || all.length < header.length + DIGEST_BYTES) return null
      const written = all.subarray(0, -DIGEST_BYTES)
      const digest = new Bun.CryptoHasher(DIGEST).update(written).digest()
      const isWhole = digest.equals(all.subarray(-DIGEST_BYTES))
      const isOurs = written.subarray(0, header.length).equals(header)
      if (!isWhole || !isOurs) return null
      return { bytes: written.subarray(header.length), confirmedAt: Math.round(found.mtimeMs) }
    },

    async confirm(at) {
      try {
        await utimes(path, at / 1_000, at / 1_000)
        return ok(undefined)
      } catch (error) {
        return notKept(error)
      }
    },

    async keep(parts) {
      const next = `${path}.${randomUUID()}${UNFINISHED}`
      try {
        await removeAbandoned(path)
        await write(next, header, parts)
        await rename(next, path)
        return ok(undefined)
      } catch (error) {
        await rm(next, { force: true }).catch(() => undefined)
        return notKept(error)
      }
    },
  }
}

const notKept = (error: unknown) => err({ kind: 'not_kept', reason: String(error) } as const)

/** Removes what dead processes left; several living ones may write at once. */
async function removeAbandoned(path: string): Promise<void> {
  const folder = dirname(path)
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${basename(path)}.`) || !name.endsWith(UNFINISHED)) continue
    const found = await stat(join(folder, name)).catch(ifMissing(undefined))
    const isAbandoned = found !== undefined && Date.now() - found.mtimeMs > ABANDONED_AFTER_MS
    if (isAbandoned) await rm(join(folder, name), { force: true })
  }
}

async function write(
  path: string,
  header: Uint8Array,
  parts: AsyncIterable<Uint8Array>,
): Promise<void> {
  const file = await open(path, 'wx', OWNER_ONLY)
  const hash = new Bun.CryptoHasher(DIGEST)
  const append = async (bytes: Uint8Array) => {
    hash.update(bytes)
    await file.writeFile(bytes)
  }
  try {
    await append(header)
    for await (const part of parts) await append(part)
    await file.writeFile(hash.digest())
  } finally {
    await file.close()
  }
}
