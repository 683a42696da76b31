import { codeOf, CONNECTION_CODES, isBrokenAnswer } from '../../../outbound/connection-codes.ts'
import type { ClusterFailure } from '../../../ports/clusters.ts'

/** Codes of OpenSSL and Bun for a rejected certificate or a failed handshake. */
const TLS =
  /^(?:UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|CERT_|CRL_|ERR_TLS_|ERR_SSL_|EPROTO|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_|ERROR_IN_CERT_|AKID_|KEYUSAGE_|UNKNOWN_CERTIFICATE_)/

export type ConnectionFailure = Extract<
  ClusterFailure,
  { kind: 'cluster_timeout' | 'cluster_tls_error' | 'cluster_unreachable' | 'cluster_error' }
>

/** The failure that an error of `fetch` or of a body means. Reads only its code: messages carry addresses. Rethrows bugs. */
export function connectionFailure(thrown: unknown): ConnectionFailure {
  if (thrown instanceof DOMException) {
    return thrown.name === 'TimeoutError'
      ? { kind: 'cluster_timeout' }
      : { kind: 'cluster_unreachable', reason: 'other' }
  }
  const code = codeOf(thrown)
  if (code === null) throw thrown
  if (TLS.test(code)) return { kind: 'cluster_tls_error', reason: code }
  if (isBrokenAnswer(code)) return { kind: 'cluster_error', reason: code }
  return { kind: 'cluster_unreachable', reason: CONNECTION_CODES.get(code) ?? 'other' }
}
