import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { lazily } from '../../../concurrency/lazily.ts'
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

/** The members of a `meta/v1` Status that are read. */
const Status = Type.Object({
  kind: Type.Literal('Status'),
  message: Type.Optional(Type.String()),
  code: Type.Optional(Type.Integer()),
  details: Type.Optional(
    Type.Partial(Type.Object({ retryAfterSeconds: Type.Integer({ minimum: 0 }) })),
  ),
})
type Status = Static<typeof Status>

const status = lazily(() => Compile(Status))
const MESSAGE_MAX_CHARACTERS = 1_000
const RETRY_AFTER_MAX_SECONDS = 3_600
const CONTROL = /[\p{Cc}\p{Cf}]+/gu

/** The failure of an unsuccessful answer, whose headers ask to wait for `waitSeconds`. Text is only taken from a Status: other bodies, such as a load balancer's page, are not shown. */
export function statusFailure(
  code: number,
  waitSeconds: number | null,
  body: unknown,
): ClusterFailure {
  const reported = status().Check(body) ? body : null
  const message = (reported?.message ?? '').replace(CONTROL, ' ').slice(0, MESSAGE_MAX_CHARACTERS)
  const statedSeconds = waitSeconds ?? reported?.details?.retryAfterSeconds ?? 0
  const retryAfterSeconds = Math.min(Math.max(statedSeconds, 1), RETRY_AFTER_MAX_SECONDS)
  switch (code) {
    case 401:
      return { kind: 'cluster_unauthorized' }
    case 403:
      return { kind: 'cluster_forbidden', message }
    case 404:
      return { kind: 'cluster_object_not_found', message }
    case 409:
      return { kind: 'cluster_conflict', message }
    case 410:
      return { kind: 'cluster_expired' }
    case 429:
      return { kind: 'cluster_rate_limited', retryAfterSeconds }
    case 503:
      return { kind: 'cluster_unavailable', retryAfterSeconds }
    case 504:
      return { kind: 'cluster_timeout' }
    case 400:
    case 422:
      return reported === null ? withoutMessage(code) : { kind: 'cluster_invalid', message }
    default:
      return message === '' ? withoutMessage(code) : { kind: 'cluster_failed', message }
  }
}

const withoutMessage = (code: number): ClusterFailure => ({
  kind: 'cluster_error',
  reason: `status ${code}`,
})

/** The failure in the last line of a watch. */
export const watchFailure = (object: unknown): ClusterFailure =>
  status().Check(object)
    ? statusFailure(object.code ?? 500, null, object)
    : { kind: 'cluster_error', reason: 'the error event of a watch has no Status' }
