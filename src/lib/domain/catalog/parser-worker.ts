/**
 * The worker thread of `parser.ts`: parses batches of untrusted files, one after the other. Before each file it writes the file's
 * index to shared memory, so that the event loop sees which file the parser hangs in.
 */
import { parseFile } from './parse-file.ts'

declare const self: Worker

export interface ParseRequest {
  readonly batch: number
  /** The files, concatenated. */
  readonly bytes: Uint8Array
  readonly sizes: readonly number[]
  readonly lifecycles: readonly string[]
  /** One 32-bit integer: index of the current file. */
  readonly progress: SharedArrayBuffer
}

export interface ParseAnswer {
  readonly batch: number
  /** JSON of one `ParsedFile` per file. */
  readonly files: string
}

self.addEventListener('message', ({ data }: MessageEvent<ParseRequest>) => {
  const { batch, bytes, sizes, lifecycles, progress } = data
  const current = new Int32Array(progress)
  let start = 0
  const files = sizes.map((size, index) => {
    Atomics.store(current, 0, index)
    const file = parseFile(bytes.subarray(start, start + size), lifecycles)
    start += size
    return file
  })
  self.postMessage({ batch, files: JSON.stringify(files) } satisfies ParseAnswer, [])
})
