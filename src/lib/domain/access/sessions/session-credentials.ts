import { createLru } from '../../../concurrency/lru.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { DatabaseFailure } from '../../../ports/database/failure.ts'
import type { IdentityFailure, IdentityTokens } from '../../../ports/identity.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { RequestFacts } from '../../audit/audit.ts'
import type { Grant } from '../grants/grant.ts'
import type { Renew, RenewalFailure, RenewalOutcome } from './session-renewal.ts'
import type { Session } from './session.ts'

export type SessionTokensFailure =
  | DatabaseFailure
  | IdentityFailure
  /** No sign-in at an identity provider, or an expired token without a refresh token. */
  | { readonly kind: 'identity_token_missing' }

export interface SessionTokens {
  /** The tokens of a session, with the needed one still valid. They are renewed before they end. */
  current(
    session: Session,
    needed: 'idToken' | 'accessToken',
    request: RequestFacts,
  ): Promise<Result<IdentityTokens, SessionTokensFailure>>
}

export interface SessionClaims {
  /** The session with claims that are recent enough for a decision. */
  recent(session: Session, request: RequestFacts): Promise<Result<Session, RenewalFailure>>
}

/** Whether a session is good for something now, and in so many milliseconds. */
type Need = (session: Session, spareMs: number) => boolean

interface Renewal {
  readonly outcome: Promise<RenewalOutcome>
  /** `null` while it is under way. */
  endedAt: number | null
}

/** A token is renewed this long before its end. */
const RENEW_BEFORE_MS = 60_000
/** Clocks of replicas differ; claims from further in the future are of an unknown age. */
const CLOCK_SKEW_MS = 60_000
/** Pause between renewals of one session: its tokens may live for less than a minute, or its provider may be away. */
const RENEWAL_PAUSE_MS = 10_000
const UNREAD = { kind: 'identity_error', reason: 'no claims' } as const

/**
 * The claims and tokens of sessions, current enough for their use. Both come from one renewal, which all callers that wait at the same time
 * share; a failure is remembered for some seconds. `isWorkloadAllowed`: whether a workload may still do what its grant says, since it has no
 * claims at the identity provider.
 */
export function createSessionCredentials(
  renew: Renew,
  clock: Clock,
  claimsMaxAgeSeconds: number,
  isWorkloadAllowed: (grant: Grant) => boolean,
) {
  const claimsMaxAgeMs = claimsMaxAgeSeconds * 1000
  /** By session: renewals under way, and those that ended less than `RENEWAL_PAUSE_MS` ago. */
  const renewals = createLru<string, Renewal>()

  const areClaimsRecent: Need = ({ claimsAt }) => {
    const age = clock.now() - claimsAt
    return age < claimsMaxAgeMs && age > -CLOCK_SKEW_MS
  }

  const isTokenGood =
    (needed: 'idToken' | 'accessToken'): Need =>
    ({ tokens }, spareMs) => {
      if (tokens === null) return false
      const endsAt = needed === 'idToken' ? tokens.idTokenExpiresAt : tokens.expiresAt
      return clock.now() + spareMs < endsAt
    }

  function start(session: Session, need: Need, request: RequestFacts): Promise<RenewalOutcome> {
    const isDone = (renewed: Session) => need(renewed, RENEW_BEFORE_MS)
    const renewal: Renewal = { outcome: renew(session, isDone, request), endedAt: null }
    renewals.set(session.idHash, renewal)
    void settle(session.idHash, renewal)
    return renewal.outcome
  }

  /** Forgets exceptions, which are bugs that the caller reports, and failures of the database. */
  async function settle(idHash: string, renewal: Renewal): Promise<void> {
    const outcome = await renewal.outcome.catch(() => undefined)
    const isForgotten =
      outcome === undefined || (!outcome.ok && outcome.error.kind === 'database_unavailable')
    if (!isForgotten) renewal.endedAt = clock.now()
    else if (renewals.peek(idHash) === renewal) renewals.delete(idHash)
  }

  const isRecent = ({ endedAt }: Renewal): boolean => {
    const age = clock.now() - (endedAt ?? clock.now())
    return age >= 0 && age < RENEWAL_PAUSE_MS
  }

  /** The session after a renewal, whether or not it meets the need now. */
  async function renewed(session: Session, need: Need, request: RequestFacts) {
    const { idHash } = session
    for (;;) {
      const last = renewals.get(idHash)
      if (last === undefined || !isRecent(last)) break
      const outcome = await last.outcome
      if (!outcome.ok || outcome.value.claimsFailure !== null) return outcome
      // It may have been renewed for another need, such as the other token.
      if (need(outcome.value.session, 0)) return outcome
      if (renewals.get(idHash) === last) break
    }
    return start(session, need, request)
  }

  const tokens: SessionTokens = {
    async current(session, needed, request) {
      const need = isTokenGood(needed)
      const { tokens } = session
      if (tokens === null) return err({ kind: 'identity_token_missing' })
      if (need(session, RENEW_BEFORE_MS)) return ok(tokens)
      if (tokens.refreshToken === null) {
        return need(session, 0) ? ok(tokens) : err({ kind: 'identity_token_missing' })
      }
      const outcome = await renewed(session, need, request)
      if (outcome.ok) return ok(outcome.value.session.tokens ?? tokens)
      const { error } = outcome
      if (error.kind === 'identity_rejected') return err(error)
      // Within the last minute the old token is still valid.
      if (need(session, 0)) return ok(tokens)
      return err(
        error.kind === 'identity_not_renewable' ? { kind: 'identity_token_missing' } : error,
      )
    },
  }

  const claims: SessionClaims = {
    async recent(session, request) {
      const { grant } = session
      if (grant?.kind === 'workload') {
        return isWorkloadAllowed(grant) ? ok(session) : err({ kind: 'identity_rejected' })
      }
      if (areClaimsRecent(session, 0)) return ok(session)
      if (session.tokens === null) return err({ kind: 'identity_not_renewable' })
      const outcome = await renewed(session, areClaimsRecent, request)
      if (!outcome.ok) return outcome
      const { session: current, claimsFailure } = outcome.value
      return areClaimsRecent(current, 0) ? ok(current) : err(claimsFailure ?? UNREAD)
    },
  }

  return { tokens, claims }
}
