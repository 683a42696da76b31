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
  /** After this time no further file is begun. */
  readonly timeMs: number
  /** One 32-bit integer: index of the current file. */
  readonly progress: SharedArrayBuffer
}

export interface ParseAnswer {
  readonly batch: number
  /** JSON of one `ParsedFile` per file, without the files that were not begun. */
  readonly files: string
  readonly tookMs: number
}

self.addEventListener('message', ({ data }: MessageEvent<ParseRequest>) => {
  const { batch, bytes, sizes, lifecycles, timeMs, progress } = data
  const current = new Int32Array(progress)
  const startedAt = performance.now()
  const files: ParsedFile[] = []
  let start = 0
  for (const [index, size] of sizes.entries()) {
    if (performance.now() - startedAt > timeMs) break
    Atomics.store(current, 0, index)
    files.push(parseFile(bytes.subarray(start, start + size), lifecycles))
    start += size
  }
  const tookMs = performance.now() - startedAt
  self.postMessage({ batch, files: JSON.stringify(files), tookMs } satisfies ParseAnswer, [])
})
