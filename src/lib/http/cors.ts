const ALLOWED = {
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-allow-headers':
    'content-type, idempotency-key, if-match, if-none-match, if-range, last-event-id, prefer, range, traceparent, tracestate, x-request-id',
  'access-control-max-age': '600',
}
const EXPOSED =
  'accept-ranges, content-disposition, content-range, etag, link, location, preference-applied, repr-digest, retry-after, x-catalog-age, x-catalog-file, x-catalog-file-url, x-catalog-revision, x-catalog-stale, x-cli-version, x-promotion-revision, x-promotions-revision, x-repository-url, x-request-id, x-run-id, x-total-count'

/** Lets pages of trusted origins read answers with the session (Fetch §3.2). */
export function corsHeaders(
  request: Request,
  trustedOrigins: ReadonlySet<string>,
): Readonly<Record<string, string>> | undefined {
  const origin = request.headers.get('origin')
  if (origin === null || !trustedOrigins.has(origin)) return undefined
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': EXPOSED,
    ...(request.method === 'OPTIONS' && ALLOWED),
  }
}
