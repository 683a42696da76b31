import type { GitFailure } from '../../../../ports/git-host.ts'

/** A gateway without a host behind it, and a host that restarts or is maintained; RFC 9110 §15.6. */
const UNAVAILABLE: ReadonlySet<number> = new Set([502, 503, 504])

/** `true` for a status of a host that is down: the same request may succeed later. */
export const isUnavailable = (status: number): boolean => UNAVAILABLE.has(status)

/** The failure that a status of 500 or more means. During an outage callers serve what they have. */
export const failureOfStatus = (status: number): GitFailure =>
  isUnavailable(status)
    ? { kind: 'git_host_unreachable' }
    : { kind: 'git_host_error', reason: `answered with ${status}` }
