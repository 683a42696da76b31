import type { FileHandle } from 'node:fs/promises'
import { Sha256 } from '../../names.ts'
import type { AssetCacheFailure, ExpectedAsset } from '../../ports/asset-cache.ts'
import { err, ok, type Result } from '../../result.ts'

/** Slower than any usable line. A host that drips would otherwise occupy one of few transfers for years. */
const LEAST_BYTES_PER_SECOND = 32 * 1024

export type WritableFile = Pick<FileHandle, 'write'>

/**
 * Writes a stream to a file and answers its digest, if it is the expected one. Throws errors of the disk. Ends the stream in any
 * case: early when it brings next to nothing for `stallMs`, or when `signal` aborts.
 */
export async function receive(
  stream: ReadableStream<Uint8Array>,
  file: WritableFile,
  { sizeBytes, sha256 }: ExpectedAsset,
  { signal, stallMs }: { readonly signal: AbortSignal; readonly stallMs: number },
): Promise<Result<Sha256, AssetCacheFailure>> {
  const reader = stream.getReader()
  const hash = new Bun.CryptoHasher('sha256')
  const stop = () => void reader.cancel().catch(() => {})
  const leastBytes = (LEAST_BYTES_PER_SECOND * stallMs) / 1000
  let received = 0
  let receivedBefore = 0
  let isStalled = false
  const watchdog = setInterval(() => {
    isStalled = received - receivedBefore < leastBytes
    receivedBefore = received
    if (isStalled) stop()
  }, stallMs)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()

  try {
    for (;;) {
      // A stream that broke off has ended too soon.
      const { value: chunk } = await reader.read().catch(() => ({ value: undefined }))
      if (chunk === undefined) break
      received += chunk.length
      if (received > sizeBytes) return err({ kind: 'asset_corrupt', reason: 'longer' })
      hash.update(chunk)
      await writeAll(file, chunk)
      release(chunk)
    }
    if (isStalled) return err({ kind: 'asset_stalled' })
    if (received < sizeBytes) return err({ kind: 'asset_cut_off' })
    const digest = Sha256.of(hash.digest('hex'))
    const isExpected = sha256 === null || digest === sha256
    return isExpected ? ok(digest) : err({ kind: 'asset_corrupt', reason: 'digest' })
  } finally {
    clearInterval(watchdog)
    signal.removeEventListener('abort', stop)
    stop()
  }
}

async function writeAll(file: WritableFile, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += (await file.write(bytes, written)).bytesWritten
  }
}

/** Frees a chunk, which is ours alone: until the garbage collector runs there would be tens of megabytes of them. */
function release({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
