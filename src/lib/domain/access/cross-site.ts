const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/**
 * Whether another site made a browser send this writing request. Decides as Go's `net/http.CrossOriginProtection` does: by
 * `Sec-Fetch-Site`, else by `Origin`. A client that sends neither is no browser and has no cookie jar to abuse.
 */
export function isCrossSite(
  { method, headers }: { readonly method: string; readonly headers: Pick<Headers, 'get'> },
  ownOrigins: readonly string[],
  trustedOrigins: readonly string[],
): boolean {
  if (SAFE_METHODS.includes(method)) return false
  const origin = headers.get('origin')
  if (origin !== null && trustedOrigins.includes(origin)) return false
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site !== 'same-origin' && site !== 'none'
  return origin !== null && !ownOrigins.includes(origin)
}
