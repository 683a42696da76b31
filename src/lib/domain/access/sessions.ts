import type { Clock } from '../../ports/clock.ts'
import type { IdentityTokens, Principal } from '../../ports/identity.ts'
import type {
  DatabaseFailure,
  SessionOwner,
  SessionRow,
  SessionStore,
} from '../../ports/database.ts'
import { ok, type Result } from '../../result.ts'
import type { Keyring } from '../../crypto/keyring.ts'
import { decodeContent, encodeContent } from './session-content.ts'
import { createRecentSessions } from './recent-sessions.ts'
import { hashOfToken, isSessionToken, newSessionToken } from './session-token.ts'

export interface Session {
  readonly principal: Principal
  readonly tokens: IdentityTokens | null
  /** What names the session in the store. Not a secret. */
  readonly idHash: string
  /** The identity provider's session id. */
  readonly sid: string | null
  readonly version: number
  readonly createdAt: number
  readonly seenAt: number
  /** The absolute end. */
  readonly expiresAt: number
}

export interface Identity {
  readonly principal: Principal
  readonly sid: string | null
  readonly tokens: IdentityTokens | null
}

export type Resolved =
  | { readonly kind: 'active'; readonly session: Session }
  /** Unknown, ended, expired or not ours to open. */
  | { readonly kind: 'invalid' }
  /** The store could not be asked. */
  | { readonly kind: 'unavailable' }

export interface Sessions {
  /** Makes a session under a new token, and ends the one the browser came with (session fixation). */
  open(
    identity: Identity,
    previousToken?: string,
  ): Promise<Result<{ readonly token: string; readonly session: Session }, DatabaseFailure>>
  /** Answers at once, without a promise, for a token that the store confirmed less than a second ago. */
  resolve(token: string): Resolved | Promise<Resolved>
  /** A session as it is now, for what goes on after its request. Asking does not keep it from growing idle. */
  again(session: Pick<Session, 'idHash'>): Promise<Resolved>
  /** A session that the store cannot remove is a failure, and is refused in this process all the same. */
  end(token: string): Promise<Result<void, DatabaseFailure>>
  /** Ends every session of a person, or of one sign-in, and says how many. */
  endPerson(owner: SessionOwner): Promise<Result<number, DatabaseFailure>>
  /** Removes what is expired. For a timer. */
  sweep(): Promise<Result<number, DatabaseFailure>>
}

export type SessionEvent =
  | {
      readonly kind: 'store_unavailable'
      readonly during: 'resolve' | 'touch' | 'remove'
      readonly reason: string
    }
  /** A row that no key of ours opens: a key was withdrawn, or the row was changed. */
  | { readonly kind: 'seal_refused'; readonly idHash: string; readonly keyId: string }
  | { readonly kind: 'created_in_future'; readonly idHash: string; readonly aheadMs: number }

export interface SessionsOptions {
  readonly store: SessionStore
  readonly keyring: Keyring
  readonly clock: Clock
  readonly log: (event: SessionEvent) => void
  readonly idleSeconds: number
  readonly absoluteSeconds: number
  /** Sessions that one person may have; one more ends the oldest. */
  readonly perPerson?: number
}

type Active = Extract<Resolved, { kind: 'active' }>

const TOUCH_MS = 60_000
const CLOCK_SKEW_MS = 5 * 60_000
export const REFUSED_MAX = 10_000
const INVALID: Resolved = { kind: 'invalid' }
const UNAVAILABLE: Resolved = { kind: 'unavailable' }

export function createSessions({
  store,
  keyring,
  clock,
  log,
  idleSeconds,
  absoluteSeconds,
  perPerson = 10,
}: SessionsOptions): Sessions {
  const idleMs = idleSeconds * 1000
  const touchMs = Math.min(TOUCH_MS, idleMs / 2)
  const recent = createRecentSessions<Active>()
  const flights = new Map<string, Promise<Resolved>>()
  /** Hashes of ended sessions whose rows the store could not remove. */
  const refused = new Set<string>()

  const isOver = ({ seenAt, expiresAt }: Pick<SessionRow, 'seenAt' | 'expiresAt'>, now: number) =>
    now >= expiresAt || now >= seenAt + idleMs

  /** Refuses a session in this process. When they are too many, the first is forgotten. */
  function refuse(idHash: string): void {
    refused.delete(idHash)
    if (refused.size >= REFUSED_MAX) {
      const oldest = refused.values().next()
      if (oldest.done === false) refused.delete(oldest.value)
    }
    refused.add(idHash)
  }

  async function remove(idHash: string): Promise<Resolved> {
    const removed = await store.remove({ kind: 'session', idHash })
    if (!removed.ok)
      log({ kind: 'store_unavailable', during: 'remove', reason: removed.error.reason })
    return INVALID
  }

  async function touch(session: Session, now: number): Promise<Session> {
    if (now - session.seenAt < touchMs) return session
    const touched = await store.touch(session.idHash, now)
    if (touched.ok) return { ...session, seenAt: now }
    // A full disk must not lock out the people who are signed in.
    log({ kind: 'store_unavailable', during: 'touch', reason: touched.error.reason })
    return session
  }

  async function find(idHash: string, now: number): Promise<Resolved> {
    if (refused.has(idHash)) return INVALID
    const found = await store.find(idHash)
    if (!found.ok) {
      log({ kind: 'store_unavailable', during: 'resolve', reason: found.error.reason })
      return UNAVAILABLE
    }
    const row = found.value
    if (row === null) return INVALID
    if (row.createdAt > now + CLOCK_SKEW_MS) {
      // The row stays: it is as likely this clock that is wrong.
      log({ kind: 'created_in_future', idHash, aheadMs: row.createdAt - now })
      return INVALID
    }
    if (isOver(row, now)) return remove(idHash)

    const opened = keyring.open(idHash, row)
    const content = opened === undefined ? undefined : decodeContent(opened)
    if (content === undefined) {
      log({ kind: 'seal_refused', idHash, keyId: row.keyId })
      return remove(idHash)
    }
    return { kind: 'active', session: toSession(row, content) }
  }

  async function ask(token: string, now: number): Promise<Resolved> {
    const found = await find(hashOfToken(token), now)
    return found.kind === 'active' ? { ...found, session: await touch(found.session, now) } : found
  }

  /** One question to the store per token at a time. Its answer is kept unless a session ended meanwhile. */
  function askOnce(token: string, now: number): Promise<Resolved> {
    const running = flights.get(token)
    if (running !== undefined) return running
    const flight: Promise<Resolved> = ask(token, now).then(
      (resolved) => {
        if (flights.get(token) !== flight) return resolved
        flights.delete(token)
        if (resolved.kind === 'active') recent.keep(token, resolved, now)
        else recent.drop(token)
        return resolved
      },
      (error: unknown) => {
        if (flights.get(token) === flight) flights.delete(token)
        throw error
      },
    )
    flights.set(token, flight)
    return flight
  }

  async function end(token: string): Promise<Result<void, DatabaseFailure>> {
    if (!isSessionToken(token)) return ok(undefined)
    const forget = () => {
      flights.delete(token)
      recent.drop(token)
    }
    forget()
    const idHash = hashOfToken(token)
    const removed = await store.remove({ kind: 'session', idHash })
    if (!removed.ok) refuse(idHash)
    // Again: a request that came meanwhile may have found the row before it went.
    forget()
    return removed.ok ? ok(undefined) : removed
  }

  return {
    async open({ principal, sid, tokens }, previousToken) {
      if (previousToken !== undefined) {
        const ended = await end(previousToken)
        if (!ended.ok) return ended
      }
      const token = newSessionToken()
      const idHash = hashOfToken(token)
      const now = clock.now()
      const row: SessionRow = {
        idHash,
        issuer: principal.issuer,
        subject: principal.subject,
        sid,
        createdAt: now,
        seenAt: now,
        expiresAt: now + absoluteSeconds * 1000,
        version: 1,
        ...keyring.seal(idHash, encodeContent({ principal, tokens, renewingUntil: null })),
      }
      const inserted = await store.insert(row, perPerson)
      if (!inserted.ok) return inserted
      return ok({ token, session: toSession(row, { principal, tokens }) })
    },

    resolve(token) {
      if (!isSessionToken(token)) return INVALID
      const now = clock.now()
      const known = recent.find(token, now)
      return known === undefined || isOver(known.session, now) ? askOnce(token, now) : known
    },

    again: ({ idHash }) => find(idHash, clock.now()),

    end,

    async endPerson(owner) {
      const isGone = ({ session }: Active) => isOf(owner, session)
      const forget = () => {
        flights.clear()
        recent.dropWhere(isGone)
      }
      forget()
      const removed = await store.remove(owner)
      forget()
      return removed
    },

    sweep() {
      const now = clock.now()
      recent.dropStale(now)
      return store.remove({ kind: 'over', expiredAt: now, seenBefore: now - idleMs })
    },
  }
}

function isOf(owner: SessionOwner, { principal, sid }: Session): boolean {
  switch (owner.kind) {
    case 'person':
      return principal.issuer === owner.issuer && principal.subject === owner.subject
    case 'sign_in':
      return principal.issuer === owner.issuer && sid === owner.sid
  }
}

const toSession = (
  { idHash, sid, version, createdAt, seenAt, expiresAt }: SessionRow,
  { principal, tokens }: Pick<Session, 'principal' | 'tokens'>,
): Session => ({ principal, tokens, idHash, sid, version, createdAt, seenAt, expiresAt })
