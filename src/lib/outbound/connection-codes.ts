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
