/**
 * The far side of `parser.ts`: parses batches of untrusted files, one after the other. Before each file it counts up a
 * shared number, so that the other side sees which file a parser hangs in.
 */
import { packFiles, type PackedFiles } from './packed-files.ts'
import { parseFile } from './parse-file.ts'

declare const self: Worker

export interface ParseRequest {
  readonly batch: number
  /** The files, one behind the other. */
  readonly bytes: Uint8Array
  readonly sizes: readonly number[]
  readonly lifecycles: readonly string[]
  /** One 32-bit integer: index of the file at work. */
  readonly progress: SharedArrayBuffer
}

export interface ParseAnswer {
  readonly batch: number
  readonly packed: PackedFiles
}

self.addEventListener('message', ({ data }: MessageEvent<ParseRequest>) => {
  const { batch, bytes, sizes, lifecycles, progress } = data
  const counter = new Int32Array(progress)
  let start = 0
  const files = sizes.map((size, index) => {
    Atomics.store(counter, 0, index)
    const file = parseFile(bytes.subarray(start, start + size), lifecycles)
    start += size
    return file
  })
  const packed = packFiles(files)
  self.postMessage({ batch, packed } satisfies ParseAnswer, [packed.bytes.buffer])
})
