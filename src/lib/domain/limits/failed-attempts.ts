import { ok, type Result } from '../../result.ts'
import { subscriberOf } from '../../text/ip-address.ts'
import type { Audit, AuditEntry, RequestFacts } from '../audit/audit.ts'
import type { RateLimited, RateLimits } from './rate-limits.ts'

/** Facts of the audit row. */
export interface FailedAttempt extends RequestFacts, Pick<AuditEntry, 'details'> {
  /** `denied`: the credential is wrong. `failed`: it could not be checked, which is not the client's fault and never refused. */
  readonly result: 'denied' | 'failed'
  readonly code: string
}

/**
 * Failed attempts to authenticate, counted by client address. Call `failed` after the credential was checked, and answer with its
 * error if there is one: a valid credential is never refused because of others at the same address.
 */
export interface FailedAttempts {
  failed(attempt: FailedAttempt): Promise<Result<void, RateLimited>>
}

/** Each failure up to the limit has an audit row; beyond it there is one row a minute with their number. */
export function createFailedAttempts({
  limits,
  audit,
  name,
  perMinute,
  action,
  target,
}: {
  readonly limits: Pick<RateLimits, 'limit'>
  readonly audit: Pick<Audit, 'record'>
  readonly name: string
  readonly perMinute: number
} & Pick<AuditEntry, 'action' | 'target'>): FailedAttempts {
  const limit = limits.limit({
    name,
    perMinute,
    subjectsMax: ADDRESSES_MAX,
    async onExceeded({ subject, refused, until }) {
      await audit.record(null, {
        action,
        target,
        result: 'denied',
        code: 'rate_limited',
        requestId: null,
        address: subject === NO_ADDRESS ? null : subject,
        details: { refused, until: new Date(until).toISOString() },
      })
    },
  })
  return {
    async failed(attempt) {
      const { address } = attempt
      const taken = await limit.take(address === null ? NO_ADDRESS : subscriberOf(address))
      if (taken.ok) await audit.record(null, { action, target, ...attempt })
      return attempt.result === 'denied' ? taken : ok(undefined)
    },
  }
}

/** Bounds the audit rows of an attack from many addresses, and refuses nobody who authenticates. */
const ADDRESSES_MAX = 200
const NO_ADDRESS = 'none'
