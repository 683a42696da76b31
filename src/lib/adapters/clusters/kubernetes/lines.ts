import { createParts } from './parts.ts'

export class LineTooLong extends Error {}

/** More than the largest object that etcd stores. */
const LINE_MAX_BYTES = 4 * 1024 * 1024
const NEWLINE = 0x0a

/** The non-empty lines of a stream, each as soon as it is complete. Throws what the stream throws. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const unfinished = createParts()
  for await (const chunk of body) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      unfinished.add(chunk.subarray(start, end))
      start = end + 1
      const line = unfinished.take().toString('utf8').trim()
      if (line !== '') yield line
    }
    unfinished.add(chunk.subarray(start))
    if (unfinished.byteLength() > LINE_MAX_BYTES) throw new LineTooLong()
  }
}
