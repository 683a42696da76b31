import type { Page } from '../ports/clusters.ts'
import { createTimeSlice } from '../time-slice.ts'

/** Enough that looking at the clock costs nothing, few enough that nobody notices them. */
const PIECE_ITEMS = 256
const encoder = new TextEncoder()

/** A list of JSON texts as one, made in pieces with turns for everybody else in between: it may be megabytes. */
export async function listingAnswer(
  request: Request,
  { items, next }: Pick<Page<string>, 'items' | 'next'>,
): Promise<Response> {
  const pause = createTimeSlice()
  const pieces = [encoder.encode('[')]
  for (let start = 0; start < items.length; start += PIECE_ITEMS) {
    const piece = items.slice(start, start + PIECE_ITEMS).join(',')
    pieces.push(encoder.encode(start === 0 ? piece : `,${piece}`))
    await pause()
  }
  pieces.push(encoder.encode(']'))
  return new Response(new Blob(pieces), {
    headers: {
      'content-type': 'application/json',
      ...(next !== null && { link: linkTo(request, next) }),
    },
  })
}

/** RFC 8288: the same request, further on. */
function linkTo({ url }: Request, cursor: string): string {
  const { pathname, searchParams } = new URL(url)
  searchParams.set('cursor', cursor)
  return `<${pathname}?${searchParams.toString()}>; rel="next"`
}

export const listingHeaders = { Link: '`rel="next"`, when more follows' }
