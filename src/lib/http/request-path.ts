/** Elysia finds the path behind the eleventh character: a shorter origin, or none, would make it find another one. */
const ROUTABLE = /^https?:\/\/[^/?#]{4,}\//
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i
const SHORTEST_ORIGIN = 'http://a'.length

/**
 * The request with a URL in which everybody finds the same path. HTTP/1.0 without a `Host`, or one that is no host name, gives
 * a relative URL.
 */
export function routable(request: Request): Request {
  if (ROUTABLE.test(request.url)) return request
  const target = request.url.replace(ORIGIN, '')
  return new Request(`http://unnamed.invalid${target.startsWith('/') ? '' : '/'}${target}`, request)
}

/** The path of a routable request as it was asked for, without the query. */
export function pathOf({ url }: Request): string {
  const start = url.indexOf('/', SHORTEST_ORIGIN)
  const end = url.indexOf('?', start)
  return end < 0 ? url.slice(start) : url.slice(start, end)
}
