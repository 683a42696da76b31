/**
 * The worker thread of `parser.ts`: parses batches of untrusted files, one after the other. Before each file it writes the file's
 * index to shared memory, so that the event loop sees which file the parser hangs in.
 */
import { type ParsedFile, parseFile } from './parse-file.ts'

declare const self: Worker

export interface ParseRequest {
  readonly batch: number
  /** The files, concatenated. */
  readonly bytes: Uint8Array
  readonly sizes: readonly number[]
  readonly lifecycles: readonly string[]
  /** After this processor time no further file is begun. */
  readonly timeMs: number
  /** One 32-bit integer: index of the current file. */
  readonly progress: SharedArrayBuffer
}

export interface ParseAnswer {
  readonly batch: number
  /** JSON of one `ParsedFile` per file, without the files that were not begun. */
  readonly files: string
  /** Processor time. */
  readonly tookMs: number
}

/** Processor time of this thread: that of a busy machine says nothing of the files. */
function usedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

self.addEventListener('message', ({ data }: MessageEvent<ParseRequest>) => {
  const { batch, bytes, sizes, lifecycles, timeMs, progress } = data
  const current = new Int32Array(progress)
  const usedBefore = usedMs()
  const files: ParsedFile[] = []
  let start = 0
  for (const [index, size] of sizes.entries()) {
    if (usedMs() - usedBefore > timeMs) break
    Atomics.store(current, 0, index)
    files.push(parseFile(bytes.subarray(start, start + size), lifecycles))
    start += size
  }
  const tookMs = usedMs() - usedBefore
  self.postMessage({ batch, files: JSON.stringify(files), tookMs } satisfies ParseAnswer, [])
})
