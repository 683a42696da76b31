import { createTimeSlice } from '../../../concurrency/time-slice.ts'
import type { ClusterFailure } from '../../../ports/clusters.ts'
import { ok, type Result } from '../../../result.ts'
import { parseJson } from '../../../text/json.ts'
import { createListScanner, ListBroken } from './list-scanner.ts'
import { BROKEN_JSON, isJson, NO_JSON, tooLong, UNREADABLE } from './read-json.ts'

/** A page of 500 pods is about 4.5 MB; annotations can make it several times larger. */
const LIST_MAX_BYTES = 64 * 1024 * 1024
/** A chunk can be the whole body; other work gets a turn after each piece. */
const PIECE_BYTES = 64 * 1024

export interface ListRead {
  /** The list with its items cut out. */
  readonly envelope: unknown
  readonly bytes: number
}

/**
 * Reads a list item by item as it arrives. Fails at the first item that `accept` refuses.
 * Throws what the connection throws, also when it breaks before the end of the body.
 */
export async function readList(
  response: Response,
  itemMaxBytes: number,
  accept: (item: unknown) => boolean,
): Promise<Result<ListRead, ClusterFailure>> {
  const body: ReadableStream<Uint8Array> | null = response.body
  if (!isJson(response) || body === null) {
    await body?.cancel()
    return NO_JSON
  }
  let isAccepted = true
  const scanner = createListScanner({
    maxBytes: itemMaxBytes,
    onItem(json) {
      isAccepted &&= accept(parseJson(json))
    },
  })
  const pause = createTimeSlice()
  let bytes = 0
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength
      if (bytes > LIST_MAX_BYTES) return tooLong(LIST_MAX_BYTES)
      for (let start = 0; start < chunk.byteLength; start += PIECE_BYTES) {
        scanner.feed(chunk.subarray(start, start + PIECE_BYTES))
        if (!isAccepted) return UNREADABLE
        await pause()
      }
      release(chunk)
    }
    const envelope = parseJson(scanner.end())
    return envelope === undefined ? BROKEN_JSON : ok({ envelope, bytes })
  } catch (error) {
    if (!(error instanceof ListBroken)) throw error
    return error.reason === 'too_long' ? tooLong(itemMaxBytes) : BROKEN_JSON
  }
}

/** Frees a chunk at once. The garbage collector does not count its bytes and would leave hundreds of megabytes of them. */
function release({ buffer, byteLength }: Uint8Array): void {
  const ownsBuffer = buffer.byteLength === byteLength
  if (ownsBuffer && buffer instanceof ArrayBuffer) buffer.transfer(0)
}
