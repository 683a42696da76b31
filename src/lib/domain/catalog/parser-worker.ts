/**
 * The far side of `parser.ts`: parses batches of untrusted files, one after the other. Before each file it counts up a
 * shared number, so that the other side sees which file a parser hangs in.
 */
import { type ParsedFile, parseFile } from './parse-file.ts'

declare const self: Worker

export interface ParseRequest {
  readonly batch: number
  /** The files, one behind the other. */
  readonly bytes: Uint8Array
  readonly sizes: readonly number[]
  /** One 32-bit integer: index of the file at work. */
  readonly progress: SharedArrayBuffer
}

export interface ParseAnswer {
  readonly batch: number
  readonly files: readonly ParsedFile[]
}

self.addEventListener('message', ({ data }: MessageEvent<ParseRequest>) => {
  const { batch, bytes, sizes, progress } = data
  const counter = new Int32Array(progress)
  let start = 0
  const files = sizes.map((size, index) => {
    Atomics.store(counter, 0, index)
    const file = parseFile(bytes.subarray(start, start + size))
    start += size
    return file
  })
  const packed = pack(files)
  self.postMessage({ batch, files: packed.files } satisfies ParseAnswer, [packed.buffer])
})

/** Puts the bytes of all entities into one buffer, which then changes hands without a copy. */
function pack(files: readonly ParsedFile[]): { files: readonly ParsedFile[]; buffer: ArrayBuffer } {
  const size = files
    .flatMap((file) => file.entities)
    .reduce((sum, { json, text }) => sum + json.length + text.bytes.length, 0)
  const all = new Uint8Array(size)
  let end = 0
  const place = (bytes: Uint8Array): Uint8Array => {
    all.set(bytes, end)
    end += bytes.length
    return all.subarray(end - bytes.length, end)
  }
  const packed = files.map(({ entities, findings }) => ({
    findings,
    entities: entities.map((entity) => ({
      ...entity,
      json: place(entity.json),
      text: { ...entity.text, bytes: place(entity.text.bytes) },
    })),
  }))
  return { files: packed, buffer: all.buffer }
}
