import { parseJson } from '../../../text/json.ts'
import type { ClusterFailure } from '../../../ports/clusters.ts'
import { ok, type Result } from '../../../result.ts'
import { createTimeSlice } from '../../../concurrency/time-slice.ts'
import { createListScanner, ListBroken } from './list-scanner.ts'
import { BROKEN_JSON, isJson, NO_JSON, tooLong, UNREADABLE } from './read-json.ts'

/** A page of 500 pods is about 4.5 MB; annotations may make it several times as much. */
const LIST_MAX_BYTES = 64 * 1024 * 1024
/** Of what has arrived at once, which may be all: a few objects, or a part of one. */
const PIECE_BYTES = 64 * 1024

/**
 * Reads a list item by item as it arrives; answers with what is around the items. An item that `take` does not take ends it.
 * Throws what the connection throws, a cut-off body included.
 */
export async function readList(
  response: Response,
  itemMaxBytes: number,
  take: (item: unknown) => boolean,
): Promise<Result<unknown, ClusterFailure>> {
  const body: ReadableStream<Uint8Array> | null = response.body
  if (!isJson(response) || body === null) {
    await body?.cancel()
    return NO_JSON
  }
  let areTaken = true
  const scanner = createListScanner({
    maxBytes: itemMaxBytes,
    onItem(json) {
      areTaken &&= take(parseJson(json))
    },
  })
  const pause = createTimeSlice()
  let length = 0
  try {
    for await (const chunk of body) {
      length += chunk.byteLength
      if (length > LIST_MAX_BYTES) return tooLong(LIST_MAX_BYTES)
      for (let start = 0; start < chunk.byteLength; start += PIECE_BYTES) {
        scanner.feed(chunk.subarray(start, start + PIECE_BYTES))
        if (!areTaken) return UNREADABLE
        await pause()
      }
      release(chunk)
    }
    const around = parseJson(scanner.end())
    return around === undefined ? BROKEN_JSON : ok(around)
  } catch (error) {
    if (!(error instanceof ListBroken)) throw error
    return error.reason === 'too_long' ? tooLong(itemMaxBytes) : BROKEN_JSON
  }
}

/**
 * Gives the memory of a chunk back now. The collector does not feel its weight and would leave hundreds of megabytes lying about
 * while a large list is read.
 */
function release({ buffer, byteLength }: Uint8Array): void {
  const isAlone = buffer.byteLength === byteLength
  if (isAlone && buffer instanceof ArrayBuffer) buffer.transfer(0)
}
