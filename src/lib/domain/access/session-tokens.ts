import { setTimeout as sleep } from 'node:timers/promises'
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
  /** The person did not come from an identity provider, or the token has ended and nothing renews it. */
  | { readonly kind: 'identity_token_missing' }

export interface SessionTokens {
  /** The tokens of a session, of which the named one is still good. Renewed in time, by one caller whoever asks. */
  current(
    session: Session,
    needed: 'idToken' | 'accessToken',
  ): Promise<Result<IdentityTokens, SessionTokensFailure>>
}

export interface SessionTokensOptions {
  readonly store: Pick<SessionStore, 'find' | 'reseal' | 'remove'>
  readonly keyring: Keyring
  readonly identity: Pick<IdentityProvider, 'refresh'>
  readonly clock: Clock
}

/** A token that ends sooner is renewed first. */
const RENEW_BEFORE_MS = 60_000
/** Longer than a call to the identity provider takes. */
const LEASE_MS = 15_000
const LOOK_AGAIN_MS = 100
/** Renewals are not tried more often: a token may live for less than a minute, or the provider may be away. */
const TRY_EVERY_MS = 10_000
const STORE_AGAIN_MS = 500

const isSamePerson = (one: Principal, other: Principal): boolean =>
  one.issuer === other.issuer && one.subject === other.subject

type Renewal = Result<IdentityTokens, SessionTokensFailure>

/**
 * The identity provider's tokens of sessions. A refresh token is used once: providers that rotate them take a second use for
 * theft and end both. So one caller renews, across processes: it marks the row first, by the row's version.
 * A process that dies between the provider's answer and the row loses the sign-in; the person signs in again.
 */
export function createSessionTokens({
  store,
  keyring,
  identity,
  clock,
}: SessionTokensOptions): SessionTokens {
  const renewals = new Map<string, Promise<Renewal>>()
  const tries = createTries(clock)

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
    // A lease of a clock that is far ahead is not waited for longer than one of ours lasts.
    const patientUntil = clock.now() + LEASE_MS
    for (;;) {
      const found = await find(idHash)
      if (!found.ok) return found
      const { version, content } = found.value
      const { tokens, renewingUntil } = content
      if (tokens === null) return err({ kind: 'identity_token_missing' })
      if (isGood(tokens)) return ok(tokens)
      if (tokens.refreshToken === null) return err({ kind: 'identity_token_missing' })
      if (renewingUntil !== null && clock.now() < Math.min(renewingUntil, patientUntil)) {
        await sleep(LOOK_AGAIN_MS)
        continue
      }
      const marked = { ...content, renewingUntil: clock.now() + LEASE_MS }
      const mine = await store.reseal(idHash, version, seal(idHash, marked))
      if (!mine.ok) return mine
      if (mine.value) return await refresh(idHash, version + 1, content, tokens.refreshToken)
    }
  }

  async function refresh(
    idHash: string,
    version: number,
    content: SessionContent,
    refreshToken: string,
  ): Promise<Renewal> {
    const renewed = await identity.refresh(refreshToken)
    if (renewed.ok && isSamePerson(renewed.value.principal, content.principal)) {
      const { principal, tokens } = renewed.value
      const kept = seal(idHash, { principal, tokens, renewingUntil: null })
      const stored = await store.reseal(idHash, version, kept)
      // A bug in the store is met by whoever asks it next.
      if (!stored.ok) storeLater(idHash, version, kept).catch(() => undefined)
      return ok(tokens)
    }
    if (renewed.ok || renewed.error.kind === 'identity_rejected') {
      await store.remove({ kind: 'session', idHash })
      return err({ kind: 'identity_rejected' })
    }
    await store.reseal(idHash, version, seal(idHash, { ...content, renewingUntil: null }))
    return renewed
  }

  /** As long as nobody else may renew: the refresh token in the row is used up. */
  async function storeLater(...kept: Parameters<typeof store.reseal>): Promise<void> {
    for (let waitedMs = 0; waitedMs < LEASE_MS; waitedMs += STORE_AGAIN_MS) {
      await sleep(STORE_AGAIN_MS)
      const stored = await store.reseal(...kept)
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
        const last = tries.last(key)
        if (isGood && last !== undefined) return ok(tokens)
        if (last?.ok === false) return last
        renewal = renew(session, isGoodFor(RENEW_BEFORE_MS)).finally(() => renewals.delete(key))
        renewals.set(key, renewal)
        void remember(key, renewal)
      }
      const renewed = await renewal
      if (renewed.ok || renewed.error.kind === 'identity_rejected') return renewed
      // The minute before the end is still good when nothing better can be had.
      return isGood ? ok(tokens) : renewed
    },
  }

  async function remember(key: string, renewal: Promise<Renewal>): Promise<void> {
    const outcome = await renewal.catch(() => undefined)
    if (outcome?.ok === false && outcome.error.kind === 'database_unavailable') return
    tries.add(key, outcome)
  }
}

/** What became of the renewals of the last seconds: nobody is pressed by everybody who asks. */
function createTries(clock: Clock) {
  const tries = new Map<string, { readonly at: number; readonly outcome: Renewal }>()
  const isOld = ({ at }: { readonly at: number }): boolean => {
    const age = clock.now() - at
    return age < 0 || age >= TRY_EVERY_MS
  }
  return {
    last(key: string): Renewal | undefined {
      const found = tries.get(key)
      return found === undefined || isOld(found) ? undefined : found.outcome
    },
    add(key: string, outcome: Renewal | undefined): void {
      for (const [old, tried] of tries) {
        if (!isOld(tried)) break
        tries.delete(old)
      }
      tries.delete(key)
      if (outcome !== undefined) tries.set(key, { at: clock.now(), outcome })
    },
  }
}
