import { createTimeSlice } from '../../concurrency/time-slice.ts'
import type { Listing } from '../../domain/clusters/listing.ts'

/** Takes well below a millisecond to render. */
const PIECE_ITEMS = 64

export async function listingAnswer(
  request: Request,
  { items, cursor }: Listing<object>,
): Promise<Response> {
  return new Response(await renderArray(items), {
    headers: {
      'content-type': 'application/json',
      ...(cursor !== null && { link: linkTo(request, cursor) }),
    },
  })
}

/** A list can be megabytes of JSON: rendered in pieces, with turns for other work in between. */
async function renderArray(
  items: readonly object[],
): Promise<ArrayBuffer | Uint8Array<ArrayBuffer>> {
  const pause = createTimeSlice()
  const json = new Bun.ArrayBufferSink()
  json.start({ asUint8Array: true })
  json.write('[')
  for (let start = 0; start < items.length; start += PIECE_ITEMS) {
    const piece = JSON.stringify(items.slice(start, start + PIECE_ITEMS)).slice(1, -1)
    json.write(start === 0 ? piece : `,${piece}`)
    await pause()
  }
  json.write(']')
  return json.end()
}

/** RFC 8288: the same request with the next cursor. */
function linkTo({ url }: Request, cursor: string): string {
  const { pathname, searchParams } = new URL(url)
  searchParams.set('cursor', cursor)
  return `<${pathname}?${searchParams.toString()}>; rel="next"`
}

export const listingHeaders = { Link: '`rel="next"`, when a page follows' }
