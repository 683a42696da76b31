import { LRUCache } from 'lru-cache'
import type { Clock } from '../../../ports/clock.ts'
import type { IdentityTokens, Principal } from '../../../ports/identity.ts'
import type { DatabaseFailure } from '../../../ports/database/failure.ts'
import type {
  ListedSession,
  SessionOwner,
  SessionPerson,
  SessionRow,
  SessionSelector,
  SessionStore,
  SessionTimes,
} from '../../../ports/database/sessions.ts'
import { ok, type Result } from '../../../result.ts'
import type { Keyring } from '../../../crypto/keyring.ts'
import { createRecentSessions } from './recent-sessions.ts'
import { decodeContent, encodeContent, type SessionContent } from './session-content.ts'
import { hashOfToken, isSessionToken, newSessionToken } from './session-token.ts'
import { createSessionWatch } from './session-watch.ts'
import { type Session, sessionOf } from './session.ts'

export type { Session } from './session.ts'

/** The person and the browser of a sign-in. */
export interface NewSession {
  readonly principal: Principal
  readonly sid: string | null
  readonly tokens: IdentityTokens | null
  /** Address of the client, `null` when it is not known. */
  readonly address: string | null
  /** The browser's `User-Agent` header, `null` without one. */
  readonly userAgent: string | null
}

export type SessionLookup =
  | { readonly kind: 'active'; readonly session: Session }
  /** Unknown, ended, expired or sealed with a key that we lack. */
  | { readonly kind: 'invalid' }
  /** The store does not answer, and has confirmed the session in the last 30 s: good for reading alone. */
  | { readonly kind: 'unconfirmed'; readonly session: Session }
  /** The store did not answer. */
  | { readonly kind: 'unavailable' }

export interface Sessions {
  /** Makes a session with a new token, and ends the browser's previous one (session fixation). */
  open(
    signedIn: NewSession,
    previousToken?: string,
  ): Promise<Result<{ readonly token: string; readonly session: Session }, DatabaseFailure>>
  /**
   * Answers without a promise for a token that the store confirmed less than a second ago, and, while the store is away, for one that it
   * confirmed less than 30 s ago.
   */
  resolve(token: string): SessionLookup | Promise<SessionLookup>
  /** The current state of a session, for streams that outlive their request. Does not count as use. */
  reread(session: Pick<Session, 'idHash'>): Promise<SessionLookup>
  /** Fails when the store cannot remove the session; this process refuses the session all the same. */
  end(token: string): Promise<Result<void, DatabaseFailure>>
  /** Ends every session of a person, or of one sign-in, and answers their number. */
  endPerson(owner: SessionOwner): Promise<Result<number, DatabaseFailure>>
  /** Ends a session of the person. Answers `false` when they have no such session. */
  endOwn(person: SessionPerson, idHash: string): Promise<Result<boolean, DatabaseFailure>>
  /** Ends every other session of the session's person, and answers their number. */
  endOthers(session: Session): Promise<Result<number, DatabaseFailure>>
  /** The living sessions of a person, newest first. */
  list(person: SessionPerson): Promise<Result<readonly ListedSession[], DatabaseFailure>>
  /** For a session that was renewed: from now on `resolve` does not answer with an earlier state. */
  supersede(session: Pick<Session, 'idHash'>): void
  /**
   * Calls `onEnd` when the session ends: at once for an end in this process, within a second for one elsewhere. The returned function
   * ends the watch.
   */
  watch(session: Session, onEnd: () => void): () => void
  /** Removes expired sessions. For a timer. */
  sweep(): Promise<Result<number, DatabaseFailure>>
}

export type SessionEvent =
  | {
      readonly kind: 'store_unavailable'
      readonly during: 'resolve' | 'touch' | 'remove' | 'watch'
      readonly reason: string
    }
  | { readonly kind: 'watch_failed' | 'touch_failed'; readonly bug: unknown }
  /** No key opens the row: a key was withdrawn, or the row was changed. */
  | { readonly kind: 'seal_refused'; readonly idHash: string; readonly keyId: string }
  | { readonly kind: 'created_in_future'; readonly idHash: string; readonly aheadMs: number }

export interface SessionsOptions {
  readonly store: SessionStore
  readonly keyring: Keyring
  readonly clock: Clock
  readonly log: (event: SessionEvent) => void
  readonly idleSeconds: number
  readonly absoluteSeconds: number
  /** Limit of sessions per person; a new one beyond it ends the oldest. */
  readonly perPerson?: number
}

const TOUCH_MS = 60_000
const CLOCK_SKEW_MS = 5 * 60_000
export const REFUSED_MAX = 10_000
/** Longer than the header of any real browser; clients can send any length. */
const USER_AGENT_MAX_CHARACTERS = 256
const INVALID: SessionLookup = { kind: 'invalid' }
const UNAVAILABLE: SessionLookup = { kind: 'unavailable' }

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
  const recent = createRecentSessions()
  /** As the last question to it ended. */
  let isStoreAway = false
  /** Reads of the store that are under way. Apart from `recent`, so that made-up tokens displace no confirmed session. */
  const pending = new Map<string, Promise<SessionLookup>>()
  /** Hashes of ended sessions whose rows the store could not remove. */
  const refused = new LRUCache<string, true>({ max: REFUSED_MAX })

  const isOver = ({ seenAt, expiresAt }: SessionTimes, now: number) =>
    now >= expiresAt || now >= seenAt + idleMs

  const watches = createSessionWatch({
    store,
    isOver: (times) => isOver(times, clock.now()),
    hasExpired: ({ expiresAt }) => clock.now() >= expiresAt,
    onUnavailable: ({ reason }) => log({ kind: 'store_unavailable', during: 'watch', reason }),
    onBug: (bug) => log({ kind: 'watch_failed', bug }),
  })

  async function remove(idHash: string): Promise<SessionLookup> {
    const removed = await store.remove({ kind: 'session', idHash })
    if (!removed.ok)
      log({ kind: 'store_unavailable', during: 'remove', reason: removed.error.reason })
    return INVALID
  }

  /** Nobody waits for it: another process may have locked the database, and a full disk must not lock out the people who are signed in. */
  async function writeUse(idHash: string, now: number): Promise<void> {
    const touched = await store.touch(idHash, now)
    if (!touched.ok)
      log({ kind: 'store_unavailable', during: 'touch', reason: touched.error.reason })
  }

  function touch(session: Session, now: number): Session {
    if (now - session.seenAt < touchMs) return session
    writeUse(session.idHash, now).catch((bug: unknown) => log({ kind: 'touch_failed', bug }))
    return { ...session, seenAt: now }
  }

  async function find(idHash: string, now: number): Promise<SessionLookup> {
    if (refused.has(idHash)) return INVALID
    const found = await store.find(idHash)
    isStoreAway = !found.ok
    if (!found.ok) {
      log({ kind: 'store_unavailable', during: 'resolve', reason: found.error.reason })
      return UNAVAILABLE
    }
    const row = found.value
    if (row === null) return INVALID
    if (row.createdAt > now + CLOCK_SKEW_MS) {
      // The row stays: this clock is as likely to be wrong.
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
    return { kind: 'active', session: sessionOf(row, content) }
  }

  function unconfirmed(token: string, now: number): SessionLookup | undefined {
    const session = recent.getUnconfirmed(token, now)
    return session !== undefined && !isOver(session, now)
      ? { kind: 'unconfirmed', session }
      : undefined
  }

  async function ask(token: string, now: number): Promise<SessionLookup> {
    const found = await find(hashOfToken(token), now)
    return found.kind === 'active' ? { ...found, session: touch(found.session, now) } : found
  }

  /** One read of the store per token at a time. Its answer is kept unless the session ended meanwhile. */
  function askOnce(token: string, askedAt: number): Promise<SessionLookup> {
    const started = pending.get(token)
    if (started !== undefined) return started
    const isWanted = () => pending.get(token) === lookup
    const lookup: Promise<SessionLookup> = ask(token, askedAt)
      .then((answer) => {
        if (!isWanted()) return answer
        if (answer.kind === 'active') recent.set(token, answer.session, askedAt)
        else if (answer.kind === 'unavailable') return unconfirmed(token, clock.now()) ?? answer
        else recent.drop(token)
        return answer
      })
      .finally(() => {
        if (isWanted()) pending.delete(token)
      })
    pending.set(token, lookup)
    return lookup
  }

  async function end(token: string): Promise<Result<void, DatabaseFailure>> {
    if (!isSessionToken(token)) return ok(undefined)
    const idHash = hashOfToken(token)
    const removed = await store.remove({ kind: 'session', idHash })
    if (!removed.ok) refused.set(idHash, true)
    recent.drop(token)
    pending.delete(token)
    watches.endSession(idHash)
    return removed.ok ? ok(undefined) : removed
  }

  /** Forgets all recent sessions: their rows are read again within the second anyway. */
  async function endAll(ended: SessionSelector): Promise<Result<number, DatabaseFailure>> {
    const removed = await store.remove(ended)
    if (!removed.ok || removed.value === 0) return removed
    pending.clear()
    recent.clear()
    await watches.checkNow()
    return removed
  }

  return {
    async open({ principal, sid, tokens, address, userAgent }, previousToken) {
      if (previousToken !== undefined) {
        const ended = await end(previousToken)
        if (!ended.ok) return ended
      }
      const token = newSessionToken()
      const idHash = hashOfToken(token)
      const now = clock.now()
      const content: SessionContent = { principal, tokens, renewingUntil: null, claimsAt: now }
      const row: SessionRow = {
        idHash,
        issuer: principal.issuer,
        subject: principal.subject,
        sid,
        createdAt: now,
        seenAt: now,
        expiresAt: now + absoluteSeconds * 1000,
        version: 1,
        address,
        userAgent: userAgent?.slice(0, USER_AGENT_MAX_CHARACTERS) ?? null,
        ...keyring.seal(idHash, encodeContent(content)),
      }
      const inserted = await store.insert(row, perPerson)
      if (!inserted.ok) return inserted
      return ok({ token, session: sessionOf(row, content) })
    },

    resolve(token) {
      if (!isSessionToken(token)) return INVALID
      const now = clock.now()
      const session = recent.get(token, now)
      if (session !== undefined && !isOver(session, now)) return { kind: 'active', session }
      const asking = askOnce(token, now)
      const known = isStoreAway ? unconfirmed(token, now) : undefined
      if (known === undefined) return asking
      // Whoever asks when this has ended meets its bug too.
      asking.catch(() => undefined)
      return known
    },

    reread: ({ idHash }) => find(idHash, clock.now()),

    end,

    endPerson: endAll,

    async endOwn({ issuer, subject }, idHash) {
      const removed = await endAll({ kind: 'own', issuer, subject, idHash })
      return removed.ok ? ok(removed.value > 0) : removed
    },

    endOthers({ principal: { issuer, subject }, idHash }) {
      return endAll({ kind: 'others', issuer, subject, idHash })
    },

    async list({ issuer, subject }) {
      const listed = await store.list({ issuer, subject })
      if (!listed.ok) return listed
      const now = clock.now()
      return ok(listed.value.filter((session) => !isOver(session, now)))
    },

    supersede({ idHash }) {
      recent.dropSession(idHash)
      // A read that is under way may have found the row as it was before.
      pending.clear()
    },

    watch: (session, onEnd) => watches.watch(session, onEnd),

    sweep() {
      const now = clock.now()
      recent.dropOld(now)
      return store.remove({ kind: 'over', expiredAt: now, seenBefore: now - idleMs })
    },
  }
}
