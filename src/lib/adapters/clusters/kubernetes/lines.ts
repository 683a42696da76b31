/** A line is longer than any object that etcd would hold. */
export class LineTooLong extends Error {}

const LINE_MAX_BYTES = 4 * 1024 * 1024
/** A line that comes byte by byte is put together now and then: a part weighs more than its byte. */
const PARTS_MAX = 1_024
const NEWLINE = 0x0a

/** The lines of a stream, each when it is there, without empty ones. Throws what the stream throws. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let begun: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const rest = chunk.subarray(start, end)
      start = end + 1
      if (rest.byteLength === 0 && begun.length === 0) continue
      const line = Buffer.concat([...begun, rest])
        .toString('utf8')
        .trim()
      begun = []
      length = 0
      if (line !== '') yield line
    }
    length += chunk.byteLength - start
    if (length > LINE_MAX_BYTES) throw new LineTooLong()
    if (start < chunk.byteLength) begun.push(chunk.subarray(start))
    if (begun.length === PARTS_MAX) begun = [Buffer.concat(begun)]
  }
}
