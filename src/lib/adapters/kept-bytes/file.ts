import { open, readFile, rename, rm } from 'node:fs/promises'
import type { KeptBytes } from '../../ports/kept-bytes.ts'
import { err, ok } from '../../result.ts'

const OWNER_ONLY = 0o600
const DIGEST = 'sha256'
const DIGEST_BYTES = 32

export interface KeptFileOptions {
  readonly path: string
  /** Identifies the format and the code that writes it, in one line. A file of another writer is not read. */
  readonly writer: string
}

/** A file of three parts: the writer, the bytes, and the digest of both. */
export function createKeptFile({ path, writer }: KeptFileOptions): KeptBytes {
  const header = Buffer.from(`portico ${writer}\n`)

  return {
    async read() {
      const all = await readFile(path).catch(() => null)
      if (all === null || all.length < header.length + DIGEST_BYTES) return null
      const written = all.subarray(0, -DIGEST_BYTES)
      const digest = new Bun.CryptoHasher(DIGEST).update(written).digest()
      const isWhole = digest.equals(all.subarray(-DIGEST_BYTES))
      const isOurs = written.subarray(0, header.length).equals(header)
      return isWhole && isOurs ? written.subarray(header.length) : null
    },

    async keep(parts) {
      // One name for all processes: the next write removes what a dead process left. The digest detects two writes at once.
      const next = `${path}.new`
      try {
        await rm(next, { force: true })
        await write(next, header, parts)
        await rename(next, path)
        return ok(undefined)
      } catch (error) {
        await rm(next, { force: true }).catch(() => undefined)
        return err({ kind: 'not_kept', reason: String(error) })
      }
    },
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
