import type { Snapshot } from '../../domain/catalog/snapshot.ts'
import type { Cached } from '../../concurrency/ttl-cache.ts'
import type { EntityList } from './entity-lists.ts'
import { acceptsGzip, isNotModified } from '../../http/negotiation.ts'
import { andThen, type NowOrLater } from '../../http/now-or-later.ts'

/** A list as the client wants it: not at all when it has it already, compressed when it takes that. */
export function answerList(
  request: Request,
  list: EntityList,
  cached: Cached<Snapshot>,
  now: number,
): NowOrLater<Response> {
  const headers = list.headers(cached, now)
  if (isNotModified(request, list.etag)) return new Response(null, { status: 304, headers })
  const gzipped = acceptsGzip(request) ? list.gzipped() : undefined
  if (gzipped === undefined) return new Response(list.body(), { headers })
  return andThen(gzipped, (body) => {
    const response = new Response(body, { headers })
    response.headers.set('content-encoding', 'gzip')
    return response
  })
}
