/**
 * Fills a cache: `<directory> <size limit in bytes> <seed> …`. One file of 300,000 bytes per seed; prints the outcome of each.
 * With the seed `half` it fetches half a file, prints that, and waits to be killed.
 */
import { createDiskAssetCache } from '#src/lib/adapters/asset-cache/disk.ts'
import { bytesOf, sha256Of, streamOf } from '#tests/support/assets.ts'

const SIZE = 300_000
const { signal } = new AbortController()
const [directory = '', bound = '', ...seeds] = Bun.argv.slice(2)
const cache = createDiskAssetCache({ directory, maxBytes: Number(bound), reserveBytes: 0 })

for (const seed of seeds) {
  const isHalf = seed === 'half'
  const bytes = bytesOf(SIZE, isHalf ? 1 : Number(seed))
  const { stream } = streamOf(
    isHalf ? [bytes.subarray(0, SIZE / 2)] : [bytes],
    isHalf ? 'never' : 'close',
  )
  const keeping = cache.keep({ sizeBytes: SIZE, sha256: sha256Of(bytes) }, stream, signal)
  if (isHalf) setTimeout(() => console.log('half'), 100)
  const kept = await keeping
  const content = kept.ok ? sha256Of(await kept.value.content.bytes()) : undefined
  console.log(kept.ok ? String(content === kept.value.sha256) : kept.error.kind)
}
