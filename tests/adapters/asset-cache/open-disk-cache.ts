import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDiskAssetCache } from '#src/lib/adapters/asset-cache/disk.ts'
import type { Sha256 } from '#src/lib/names.ts'
import { type AssetCacheFixture, ROOM_BYTES, STALL_MS } from '#tests/contracts/asset-cache.ts'

const HOUR_SECONDS = 3_600

export interface DiskFixture extends AssetCacheFixture {
  readonly directory: string
  readonly fileOf: (sha256: Sha256) => string
  /** File names by folder. */
  readonly files: () => Promise<Readonly<Record<'copies' | 'incoming', readonly string[]>>>
}

export async function openDiskCache(): Promise<DiskFixture> {
  const scratch = await mkdtemp(join(tmpdir(), 'portico-cache-'))
  const directory = join(scratch, 'cli-assets')
  const folders = { copies: join(directory, 'sha256'), incoming: join(directory, 'incoming') }
  const options = { directory, maxBytes: ROOM_BYTES, reserveBytes: 0, stallMs: STALL_MS }
  const another = () => createDiskAssetCache(options)
  const fileOf = (sha256: Sha256) => join(folders.copies, sha256)

  return {
    cache: another(),
    another,
    directory,
    fileOf,
    files: async () => ({
      copies: await readdir(folders.copies).catch(() => []),
      incoming: await readdir(folders.incoming).catch(() => []),
    }),
    async letTimePass() {
      for (const name of await readdir(folders.copies)) {
        const { mtimeMs } = await Bun.file(join(folders.copies, name)).stat()
        const hourAgo = Date.now() / 1000 - HOUR_SECONDS
        await utimes(join(folders.copies, name), hourAgo, mtimeMs / 1000)
      }
    },
    [Symbol.asyncDispose]: () => rm(scratch, { recursive: true, force: true }),
  }
}
