/** Elysia looks for the path after the tenth character, and finds a wrong one behind a shorter origin. */
const ROUTABLE = /^https?:\/\/[^/?#]{4,}\//
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i
const SHORTEST_ORIGIN = 'http://a'.length

/**
 * Returns a request whose URL every reader splits at the same path. An HTTP/1.0 request without `Host`, or with a malformed
 * one, has a relative URL.
 */
export function routable(request: Request): Request {
  if (ROUTABLE.test(request.url)) return request
  const target = request.url.replace(ORIGIN, '')
  return new Request(`http://unnamed.invalid${target.startsWith('/') ? '' : '/'}${target}`, request)
}

/** The path of a routable request as the client sent it, without the query. */
export function pathOf({ url }: Request): string {
  const start = url.indexOf('/', SHORTEST_ORIGIN)
  const end = url.indexOf('?', start)
  return end < 0 ? url.slice(start) : url.slice(start, end)
}
