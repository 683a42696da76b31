import { createTimeSlice } from '../../concurrency/time-slice.ts'
import { createDigest, taggedBody } from '../../http/tagged-json.ts'
import type { Listing } from '../../domain/clusters/listing.ts'

/** Takes well below a millisecond to render. */
const PIECE_ITEMS = 64

export async function listingAnswer(
  request: Request,
  { items, cursor }: Listing<object>,
): Promise<Response> {
  const { body, digest } = await renderArray(items)
  return taggedBody(request, body, digest, cursor === null ? {} : { link: linkTo(request, cursor) })
}

/** A list can be megabytes of JSON: rendered in pieces, with turns for other work in between. */
async function renderArray(items: readonly object[]) {
  const pause = createTimeSlice()
  const json = new Bun.ArrayBufferSink()
  json.start({ asUint8Array: true })
  const digest = createDigest()
  const write = (text: string) => {
    json.write(text)
    digest.update(text)
  }
  write('[')
  for (let start = 0; start < items.length; start += PIECE_ITEMS) {
    const piece = JSON.stringify(items.slice(start, start + PIECE_ITEMS)).slice(1, -1)
    write(start === 0 ? piece : `,${piece}`)
    await pause()
  }
  write(']')
  return { body: json.end(), digest }
}

/** RFC 8288: the same request with the next cursor. */
function linkTo({ url }: Request, cursor: string): string {
  const { pathname, searchParams } = new URL(url)
  searchParams.set('cursor', cursor)
  return `<${pathname}?${searchParams.toString()}>; rel="next"`
}

export const listingHeaders = { Link: '`rel="next"`, when a page follows' }
