import type { EntityList } from './entity-lists.ts'
import { acceptsGzip, isNotModified } from './negotiation.ts'
import { andThen, type NowOrLater } from './now-or-later.ts'

/** A list as the client wants it: not at all when it has it already, compressed when it takes that. */
export function answerList(
  request: Request,
  list: EntityList,
  catalogHeaders: Readonly<Record<string, string>>,
): NowOrLater<Response> {
  const headers = {
    'content-type': 'application/json',
    'cache-control': 'private, no-cache',
    etag: list.etag,
    vary: 'accept-encoding',
    'x-total-count': String(list.total),
    ...(list.link !== null && { link: list.link }),
    ...catalogHeaders,
  }
  if (isNotModified(request, list.etag)) return new Response(null, { status: 304, headers })
  const gzipped = acceptsGzip(request) ? list.gzipped() : undefined
  if (gzipped === undefined) return new Response(list.body(), { headers })
  return andThen(
    gzipped,
    (body) => new Response(body, { headers: { ...headers, 'content-encoding': 'gzip' } }),
  )
}
