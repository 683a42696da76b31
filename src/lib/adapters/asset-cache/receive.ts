import { Sha256 } from '../../names.ts'
import type { AssetCacheFailure, ExpectedAsset } from '../../ports/asset-cache.ts'
import { err, ok, type Result } from '../../result.ts'
import { type BatchFile, createBatchWriter } from './batch-writer.ts'

/** Slower than any line that somebody works at. A host that drips would hold its place for years. */
const LEAST_BYTES_PER_SECOND = 32 * 1024

/**
 * Writes a stream to a file and says its digest, if it is what is expected. Throws what the disk refuses. The stream has
 * ended when this has: it broke off, brought next to nothing for `stallMs`, or `signal` said so.
 */
export async function receive(
  stream: ReadableStream<Uint8Array>,
  file: BatchFile,
  { sizeBytes, sha256 }: ExpectedAsset,
  { signal, stallMs }: { readonly signal: AbortSignal; readonly stallMs: number },
): Promise<Result<Sha256, AssetCacheFailure>> {
  const reader = stream.getReader()
  const read = () => reader.read()
  const writer = createBatchWriter(file)
  const hash = new Bun.CryptoHasher('sha256')
  let received = 0
  let stalled = false
  const stop = () => void reader.cancel().catch(() => {})
  const leastBytes = (LEAST_BYTES_PER_SECOND * stallMs) / 1000
  let seen = 0
  const watchdog = setInterval(() => {
    stalled = received - seen < leastBytes
    seen = received
    if (stalled) stop()
  }, stallMs)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()

  try {
    for (;;) {
      const chunk = await next(read)
      if (chunk === undefined) break
      received += chunk.length
      if (received > sizeBytes) return err({ kind: 'asset_corrupt', reason: 'longer' })
      hash.update(chunk)
      for (let start = 0; start < chunk.length;) {
        start += writer.take(chunk.subarray(start))
        if (writer.isFull()) await writer.flush()
      }
      release(chunk)
    }
    if (stalled) return err({ kind: 'asset_stalled' })
    if (received < sizeBytes) return err({ kind: 'asset_cut_off' })
    await writer.end()
    const digest = Sha256.of(hash.digest('hex'))
    if (sha256 !== null && digest !== sha256)
      return err({ kind: 'asset_corrupt', reason: 'digest' })
    return ok(digest)
  } finally {
    clearInterval(watchdog)
    signal.removeEventListener('abort', stop)
    stop()
    // The file is closed next, and must not be while something is written to it.
    await writer.idle()
  }
}

/** The next bytes. A stream that broke off has none, and is known by having ended too soon. */
async function next(
  read: () => Promise<{ readonly value?: Uint8Array | undefined }>,
): Promise<Uint8Array | undefined> {
  try {
    return (await read()).value
  } catch {
    return undefined
  }
}

/** Chunks are ours alone. Given back at once: until the collector came by, there would be tens of megabytes of them. */
function release({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
