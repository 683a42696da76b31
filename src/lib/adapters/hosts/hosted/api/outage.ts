import { certificateFault, isRefusedCertificate } from '../../../../outbound/connection-codes.ts'
import type { GitFailure } from '../../../../ports/git-host.ts'

/** A gateway without a host behind it, and a host that restarts or is maintained; RFC 9110 §15.6. */
const UNAVAILABLE: ReadonlySet<number> = new Set([502, 503, 504])

/** `true` for a status of a host that is down: the same request may succeed later. */
export const isUnavailable = (status: number): boolean => UNAVAILABLE.has(status)

/** The failure for a status of 500 or more. During an outage callers serve what they have. `url`: of the request. */
export const failureOfStatus = (url: string, status: number): GitFailure =>
  isUnavailable(status)
    ? { kind: 'git_host_unreachable', reason: `${new URL(url).origin} answered with ${status}` }
    : { kind: 'git_host_error', reason: `answered with ${status}` }

/** The failure for 401. Whoever has other credentials tells it from the rest by its identity. */
export const CREDENTIALS_REFUSED = {
  kind: 'git_denied',
  what: 'the credentials were refused',
} as const satisfies GitFailure

const AUTHORITY_REMEDY = 'the setting of the CA file must name the one that signed it'

/** The failure for a connection that could not be opened. `code`: of the error. */
export function failureOfConnection(url: string, code: string): GitFailure {
  const { origin } = new URL(url)
  const reason = isRefusedCertificate(code)
    ? `the certificate of ${origin} ${certificateFault(code, AUTHORITY_REMEDY)}`
    : `there is no connection to ${origin} (${code})`
  return { kind: 'git_host_unreachable', reason }
}
