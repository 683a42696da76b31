import { setTimeout as sleep } from 'node:timers/promises'
import type { Keyring } from '../../../crypto/keyring.ts'
import type { SteadyClock } from '../../../ports/clock.ts'
import type { DatabaseFailure } from '../../../ports/database/failure.ts'
import type { SessionRow, SessionStore } from '../../../ports/database/sessions.ts'
import type {
  IdentityFailure,
  IdentityProvider,
  IdentityTokens,
  Principal,
} from '../../../ports/identity.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { Audit, RequestFacts } from '../../audit/audit.ts'
import {
  decodeContent,
  encodeContent,
  type SessionContent,
  type Session,
  sessionOf,
} from './session.ts'
import type { Sessions } from './sessions.ts'

export type RenewalFailure =
  | DatabaseFailure
  | IdentityFailure
  /** The session goes on with the claims and tokens that it has. */
  | { readonly kind: 'identity_not_renewable' }

export type RenewalOutcome = Result<
  {
    readonly session: Session
    /** Why the tokens are new and the claims are not. */
    readonly claimsFailure: IdentityFailure | null
  },
  RenewalFailure
>

/** Renews a session for a request, unless `isDone` holds for the session in its row already. */
export type Renew = (
  session: Session,
  isDone: (session: Session) => boolean,
  request: RequestFacts,
) => Promise<RenewalOutcome>

export interface SessionRenewalOptions {
  readonly store: Pick<SessionStore, 'find' | 'reseal'>
  readonly sessions: Pick<Sessions, 'supersede' | 'endOwn'>
  readonly keyring: Keyring
  readonly identity: Pick<IdentityProvider, 'renew'>
  readonly audit: Pick<Audit, 'record'>
  readonly clock: SteadyClock
  readonly log: (event: RenewalEvent) => void
}

/** For the operator: the person only gets a code. */
export interface RenewalEvent {
  readonly kind: 'renewal_failed'
  readonly failure: IdentityFailure
  readonly requestId: string
}

/** Longer than the deadline of a renewal at the identity provider. */
const LEASE_MS = 15_000
const LEASE_POLL_MS = 100
const STORE_RETRY_MS = 500

interface StoredSession {
  readonly row: SessionRow
  readonly content: SessionContent
}

interface Lease extends StoredSession {
  readonly tokens: IdentityTokens
  /** Version of the row once the lease is in it. */
  readonly version: number
  readonly request: RequestFacts
}

const isSamePerson = (one: Principal, other: Principal): boolean =>
  one.issuer === other.issuer && one.subject === other.subject

/**
 * Renews the claims and tokens of sessions at the identity provider. Each refresh token is used once: providers that rotate them
 * take a second use for theft and end both. One caller renews, across processes, under a lease in the row by compare-and-swap of
 * its version. A process that dies between the provider's answer and its write loses the sign-in; the person signs in again.
 */
export function createSessionRenewal(options: SessionRenewalOptions): Renew {
  const { store, sessions, keyring, identity, audit, clock, log } = options
  const seal = (idHash: string, content: SessionContent) =>
    keyring.seal(idHash, encodeContent(content))

  async function find(idHash: string): Promise<Result<StoredSession, RenewalFailure>> {
    const found = await store.find(idHash)
    if (!found.ok) return found
    const row = found.value
    const opened = row === null ? undefined : keyring.open(idHash, row)
    const content = opened === undefined ? undefined : decodeContent(opened)
    if (row === null || content === undefined) return err({ kind: 'identity_rejected' })
    return ok({ row, content })
  }

  async function renewLeased(lease: Lease): Promise<RenewalOutcome> {
    const { row, content, tokens, version, request } = lease
    const claimsAt = clock.now()
    const answer = await identity.renew(tokens)
    if (answer.ok) {
      const { principal, tokens } = answer.value
      if (!isSamePerson(principal, content.principal)) return end(lease, 'identity_changed')
      const { grant } = content
      const renewed = { principal, tokens, renewingUntil: null, claimsAt }
      return await keep(lease, grant === undefined ? renewed : { ...renewed, grant }, null)
    }
    const { error } = answer
    if (error.kind === 'identity_rejected') return end(lease, error.kind)
    if (error.kind === 'identity_claims_unread') {
      const { tokens, failure } = error
      if (failure.kind === 'identity_rejected') return end(lease, failure.kind)
      log({ kind: 'renewal_failed', failure, requestId: request.requestId })
      return await keep(lease, { ...content, tokens, renewingUntil: null }, failure)
    }
    if (error.kind !== 'identity_not_renewable') {
      log({ kind: 'renewal_failed', failure: error, requestId: request.requestId })
    }
    await store.reseal(row.idHash, version, seal(row.idHash, { ...content, renewingUntil: null }))
    return err(error)
  }

  async function keep(
    { row, version }: Lease,
    content: SessionContent,
    claimsFailure: IdentityFailure | null,
  ): Promise<RenewalOutcome> {
    const { idHash } = row
    const sealed = seal(idHash, content)
    const session = sessionOf(row, content)
    const stored = await store.reseal(idHash, version, sealed)
    if (!stored.ok) {
      // An exception is a bug in the store; the next call reports it.
      retryStore(idHash, version, sealed).catch(() => undefined)
      return ok({ session, claimsFailure })
    }
    if (stored.value) {
      sessions.supersede(session)
      return ok({ session, claimsFailure })
    }
    // Somebody else renewed after the lease had run out, or the session was ended meanwhile.
    const found = await find(idHash)
    return found.ok ? ok({ session, claimsFailure }) : found
  }

  /** Retries until the lease ends: afterwards other processes would renew with the used-up refresh token of the row. */
  async function retryStore(...args: Parameters<typeof store.reseal>): Promise<void> {
    for (let waitedMs = 0; waitedMs < LEASE_MS; waitedMs += STORE_RETRY_MS) {
      await sleep(STORE_RETRY_MS)
      const stored = await store.reseal(...args)
      if (stored.ok) return
    }
  }

  async function end(
    { row: { idHash }, content: { principal }, request: { requestId, address } }: Lease,
    code: string,
  ): Promise<RenewalOutcome> {
    const ended = await sessions.endOwn(principal, idHash)
    if (ended.ok && ended.value) {
      await audit.record(principal, {
        action: 'session.ended_by_provider',
        target: `session/${idHash}`,
        result: 'done',
        code,
        requestId,
        address,
      })
    }
    return err({ kind: 'identity_rejected' })
  }

  return async function renew({ idHash }, isDone, request) {
    // A lease by another clock, or by ours before it was set back, counts for no longer than a lease lasts from when it is seen.
    let seen = { version: 0, until: 0 }
    for (;;) {
      const found = await find(idHash)
      if (!found.ok) return found
      const { row, content } = found.value
      const { tokens, renewingUntil } = content
      const session = sessionOf(row, content)
      if (isDone(session)) return ok({ session, claimsFailure: null })
      if (tokens === null) return err({ kind: 'identity_not_renewable' })
      if (row.version !== seen.version) {
        seen = { version: row.version, until: clock.elapsed() + LEASE_MS }
      }
      if (renewingUntil !== null && clock.now() < renewingUntil && clock.elapsed() < seen.until) {
        await sleep(LEASE_POLL_MS)
        continue
      }
      const leased = { ...content, renewingUntil: clock.now() + LEASE_MS }
      const acquired = await store.reseal(idHash, row.version, seal(idHash, leased))
      if (!acquired.ok) return acquired
      const version = row.version + 1
      if (acquired.value) return await renewLeased({ row, content, tokens, version, request })
    }
  }
}
