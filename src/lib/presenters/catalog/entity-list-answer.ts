import type { Snapshot } from '../../domain/catalog/snapshot.ts'
import type { Cached } from '../../concurrency/ttl-cache.ts'
import type { EntityList } from './entity-lists.ts'
import { acceptsGzip, isNotModified } from '../../http/negotiation.ts'

/** A list as the client wants it: not at all when it has it already, compressed when it takes that. */
export async function answerList(
  request: Request,
  list: EntityList,
  cached: Cached<Snapshot>,
  now: number,
): Promise<Response> {
  const headers = list.headers(cached, now)
  if (isNotModified(request, list.etag)) return new Response(null, { status: 304, headers })
  const gzipped = acceptsGzip(request) ? list.gzipped() : undefined
  if (gzipped === undefined) return new Response(list.body(), { headers })
  const response = new Response(await gzipped, { headers })
  response.headers.set('content-encoding', 'gzip')
  return response
}
