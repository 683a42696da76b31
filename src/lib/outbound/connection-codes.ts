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

/** Codes of Bun for an answer that is not HTTP or whose encoding is corrupt or cut. */
const BROKEN =
  /^(?:Zlib|Brotli|Zstd|Malformed_HTTP_Response$|InvalidHTTPResponse$|InvalidContentLength$)/

export const isBrokenAnswer = (code: string): boolean => BROKEN.test(code)

const CERTIFICATE = /^(?:ERR_TLS_CERT_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/

/** Whether the certificate of the server was not accepted. */
export const isRefusedCertificate = (code: string): boolean => CERTIFICATE.test(code)

const UNKNOWN_AUTHORITY: ReadonlySet<string> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
])

const CERTIFICATE_FAULTS: ReadonlyMap<string, string> = new Map([
  ['CERT_HAS_EXPIRED', 'has expired'],
  ['CERT_NOT_YET_VALID', 'is not valid yet'],
  ['CERT_REVOKED', 'was revoked'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'is for another host name'],
])

/**
 * The fault of a refused certificate, in words that follow "the certificate of …". `remedy` is for an authority that is not
 * trusted, such as "VAULT_CA_FILE must name the one that signed it".
 */
export function certificateFault(code: string, remedy: string): string {
  if (UNKNOWN_AUTHORITY.has(code)) return `is not signed by a trusted authority: ${remedy}`
  return CERTIFICATE_FAULTS.get(code) ?? `is not accepted (${code})`
}

/** The code of an error of `fetch` or of a body. `null`: the error is a bug. */
export const codeOf = (thrown: unknown): string | null =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string'
    ? thrown.code
    : null
