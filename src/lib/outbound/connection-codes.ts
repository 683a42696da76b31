/** Error codes of `fetch`, Node's and Bun's, for failed connections. TLS codes are not included. */
export const CONNECTION_CODES: ReadonlyMap<
  string,
  'connection_refused' | 'connection_reset' | 'host_not_found' | 'other'
> = new Map([
  ['ECONNREFUSED', 'connection_refused'],
  ['ConnectionRefused', 'connection_refused'],
  ['ECONNRESET', 'connection_reset'],
  ['ConnectionClosed', 'connection_reset'],
  ['ENOTFOUND', 'host_not_found'],
  ['EAI_AGAIN', 'host_not_found'],
  ['DNSResolveFailed', 'host_not_found'],
  ['EHOSTUNREACH', 'other'],
  ['ENETUNREACH', 'other'],
  ['ETIMEDOUT', 'other'],
])

/** Refused certificates and refusals of a proxy. */
const BEFORE_REQUEST =
  /^(?:ERR_TLS_CERT_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_PROXY_TUNNEL$)/

/** `true` for a connection that failed before the request was sent. */
export function isUnsent(code: string): boolean {
  const cause = CONNECTION_CODES.get(code)
  return cause === 'connection_refused' || cause === 'host_not_found' || BEFORE_REQUEST.test(code)
}
