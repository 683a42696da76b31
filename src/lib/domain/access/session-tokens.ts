import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Keyring } from '../../crypto/keyring.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DatabaseFailure, SessionStore } from '../../ports/database.ts'
import type {
  IdentityFailure,
  IdentityProvider,
  IdentityTokens,
  Principal,
} from '../../ports/identity.ts'
import { err, ok, type Result } from '../../result.ts'
import { decodeContent, encodeContent, type SessionContent } from './session-content.ts'
import type { Session } from './sessions.ts'

export type SessionTokensFailure =
  | DatabaseFailure
  | IdentityFailure
  /** No sign-in at an identity provider, or an expired token without a refresh token. */
  | { readonly kind: 'identity_token_missing' }

export interface SessionTokens {
  /** The tokens of a session, with the needed one still valid. One caller at a time renews them, before they end. */
  current(
    session: Session,
    needed: 'idToken' | 'accessToken',
  ): Promise<Result<IdentityTokens, SessionTokensFailure>>
}

export interface SessionTokensOptions {
  readonly store: Pick<SessionStore, 'find' | 'reseal' | 'remove'>
  readonly keyring: Keyring
  readonly identity: Pick<IdentityProvider, 'renew'>
  readonly clock: Clock
}

/** A token is renewed this long before its end. */
const RENEW_BEFORE_MS = 60_000
/** Longer than the deadline of a call to the identity provider. */
const LEASE_MS = 15_000
const LEASE_POLL_MS = 100
/** Pause between renewals of one token, which may live for less than a minute or whose provider may be away. */
const RENEWAL_PAUSE_MS = 10_000
const OUTCOMES_MAX = 10_000
const STORE_RETRY_MS = 500

const isSamePerson = (one: Principal, other: Principal): boolean =>
  one.issuer === other.issuer && one.subject === other.subject

type Renewal = Result<IdentityTokens, SessionTokensFailure>

/**
 * The identity provider's tokens of sessions. Each refresh token is used once: providers that rotate them take a second use for
 * theft and end both. One caller renews, across processes, under a lease in the row by compare-and-swap of its version.
 * A process that dies between the provider's answer and its write loses the sign-in; the person signs in again.
 */
export function createSessionTokens({
  store,
  keyring,
  identity,
  clock,
}: SessionTokensOptions): SessionTokens {
  const renewals = new Map<string, Promise<Renewal>>()
  /** Outcomes of the renewals of the last seconds. */
  const outcomes = new LRUCache<string, { readonly at: number; readonly outcome: Renewal }>({
    max: OUTCOMES_MAX,
  })

  const seal = (idHash: string, content: SessionContent) =>
    keyring.seal(idHash, encodeContent(content))

  async function find(idHash: string) {
    const row = await store.find(idHash)
    if (!row.ok) return row
    const opened = row.value === null ? undefined : keyring.open(idHash, row.value)
    const content = opened === undefined ? undefined : decodeContent(opened)
    if (row.value === null || content === undefined) return err({ kind: 'identity_rejected' })
    return ok({ version: row.value.version, content })
  }

  async function renew({ idHash }: Session, isGood: (tokens: IdentityTokens) => boolean) {
    // A lease by a clock that is far ahead counts for no longer than a lease of ours.
    const leaseEndMax = clock.now() + LEASE_MS
    for (;;) {
      const found = await find(idHash)
      if (!found.ok) return found
      const { version, content } = found.value
      const { tokens, renewingUntil } = content
      if (tokens === null) return err({ kind: 'identity_token_missing' })
      if (isGood(tokens)) return ok(tokens)
      if (tokens.refreshToken === null) return err({ kind: 'identity_token_missing' })
      if (renewingUntil !== null && clock.now() < Math.min(renewingUntil, leaseEndMax)) {
        await sleep(LEASE_POLL_MS)
        continue
      }
      const leased = { ...content, renewingUntil: clock.now() + LEASE_MS }
      const acquired = await store.reseal(idHash, version, seal(idHash, leased))
      if (!acquired.ok) return acquired
      if (acquired.value) return await refresh(idHash, version + 1, content, tokens)
    }
  }

  async function refresh(
    idHash: string,
    version: number,
    content: SessionContent,
    tokens: IdentityTokens,
  ): Promise<Renewal> {
    const claimsAt = clock.now()
    const renewed = await identity.renew(tokens)
    if (renewed.ok && isSamePerson(renewed.value.principal, content.principal)) {
      const { principal, tokens } = renewed.value
      const renewedSeal = seal(idHash, { principal, tokens, renewingUntil: null, claimsAt })
      const stored = await store.reseal(idHash, version, renewedSeal)
      // An exception is a bug in the store; the next call reports it.
      if (!stored.ok) retryStore(idHash, version, renewedSeal).catch(() => undefined)
      return ok(tokens)
    }
    if (renewed.ok || renewed.error.kind === 'identity_rejected') {
      await store.remove({ kind: 'session', idHash })
      return err({ kind: 'identity_rejected' })
    }
    const { error } = renewed
    const kept = error.kind === 'identity_claims_unread' ? error.tokens : tokens
    const unchanged = { ...content, tokens: kept, renewingUntil: null }
    await store.reseal(idHash, version, seal(idHash, unchanged))
    if (error.kind === 'identity_claims_unread') return err(error.failure)
    return err(error.kind === 'identity_not_renewable' ? { kind: 'identity_token_missing' } : error)
  }

  /** Retries until the lease ends: afterwards other processes would renew with the used-up refresh token of the row. */
  async function retryStore(...args: Parameters<typeof store.reseal>): Promise<void> {
    for (let waitedMs = 0; waitedMs < LEASE_MS; waitedMs += STORE_RETRY_MS) {
      await sleep(STORE_RETRY_MS)
      const stored = await store.reseal(...args)
      if (stored.ok) return
    }
  }

  return {
    async current(session, needed) {
      const endOf = ({ idTokenExpiresAt, expiresAt }: IdentityTokens) =>
        needed === 'idToken' ? idTokenExpiresAt : expiresAt
      const isGoodFor = (milliseconds: number) => (tokens: IdentityTokens) =>
        clock.now() + milliseconds < endOf(tokens)
      const { tokens, idHash } = session
      if (tokens === null) return err({ kind: 'identity_token_missing' })
      if (isGoodFor(RENEW_BEFORE_MS)(tokens)) return ok(tokens)

      const isGood = isGoodFor(0)(tokens)
      const key = `${idHash} ${needed}`
      let renewal = renewals.get(key)
      if (renewal === undefined) {
        const last = lastOutcome(key)
        if (isGood && last !== undefined) return ok(tokens)
        if (last?.ok === false) return last
        renewal = renew(session, isGoodFor(RENEW_BEFORE_MS)).finally(() => renewals.delete(key))
        renewals.set(key, renewal)
        void keepOutcome(key, renewal)
      }
      const renewed = await renewal
      if (renewed.ok || renewed.error.kind === 'identity_rejected') return renewed
      // Within the last minute the old token is still valid.
      return isGood ? ok(tokens) : renewed
    },
  }

  function lastOutcome(key: string): Renewal | undefined {
    const last = outcomes.get(key)
    const age = last === undefined ? -1 : clock.now() - last.at
    return age >= 0 && age < RENEWAL_PAUSE_MS ? last?.outcome : undefined
  }

  async function keepOutcome(key: string, renewal: Promise<Renewal>): Promise<void> {
    const outcome = await renewal.catch(() => undefined)
    if (outcome === undefined) outcomes.delete(key)
    else if (outcome.ok || outcome.error.kind !== 'database_unavailable') {
      outcomes.set(key, { at: clock.now(), outcome })
    }
  }
}
