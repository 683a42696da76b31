import type { Page } from '../../ports/clusters.ts'
import { createTimeSlice } from '../../concurrency/time-slice.ts'

/** Enough that looking at the clock costs nothing, few enough that nobody notices them. */
const PIECE_ITEMS = 256

/** A list of JSON texts as one, made in pieces with turns for everybody else in between: it may be megabytes. */
export async function listingAnswer(
  request: Request,
  { items, next }: Pick<Page<string>, 'items' | 'next'>,
): Promise<Response> {
  return new Response(await joined(items), {
    headers: {
      'content-type': 'application/json',
      ...(next !== null && { link: linkTo(request, next) }),
    },
  })
}

/** Written into one buffer of the right size, so that the whole is there once besides its items. */
async function joined(items: readonly string[]): Promise<Uint8Array<ArrayBuffer>> {
  const pause = createTimeSlice()
  let size = Math.max(items.length - 1, 0) + 2
  for (const [index, item] of items.entries()) {
    size += Buffer.byteLength(item)
    if (index % PIECE_ITEMS === 0) await pause()
  }
  const all = Buffer.allocUnsafeSlow(size)
  let end = all.write('[')
  for (const [index, item] of items.entries()) {
    if (index > 0) end += all.write(',', end)
    end += all.write(item, end)
    if (index % PIECE_ITEMS === 0) await pause()
  }
  all.write(']', end)
  return all
}

/** RFC 8288: the same request, further on. */
function linkTo({ url }: Request, cursor: string): string {
  const { pathname, searchParams } = new URL(url)
  searchParams.set('cursor', cursor)
  return `<${pathname}?${searchParams.toString()}>; rel="next"`
}

export const listingHeaders = { Link: '`rel="next"`, when more follows' }
