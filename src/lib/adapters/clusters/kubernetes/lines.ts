import { createParts } from './parts.ts'

/** A line is longer than any object that etcd would hold. */
export class LineTooLong extends Error {}

const LINE_MAX_BYTES = 4 * 1024 * 1024
const NEWLINE = 0x0a

/** The lines of a stream, each when it is there, without empty ones. Throws what the stream throws. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const begun = createParts()
  for await (const chunk of body) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const isEmpty = start === end && begun.byteLength() === 0
      if (!isEmpty) begun.add(chunk.subarray(start, end))
      start = end + 1
      if (isEmpty) continue
      const line = begun.take().toString('utf8').trim()
      if (line !== '') yield line
    }
    begun.add(chunk.subarray(start))
    if (begun.byteLength() > LINE_MAX_BYTES) throw new LineTooLong()
  }
}
