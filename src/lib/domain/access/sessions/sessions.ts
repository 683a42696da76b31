import { createLru } from '../../../concurrency/lru.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { IdentityTokens, Principal } from '../../../ports/identity.ts'
import type { DatabaseFailure } from '../../../ports/database/failure.ts'
import type { GrantTokenStore } from '../../../ports/database/grant-tokens.ts'
import type {
  ListedSession,
  SessionOwner,
  SessionKind,
  SessionPerson,
  SessionRow,
  SessionSelector,
  SessionStore,
  SessionTimes,
} from '../../../ports/database/sessions.ts'
import { ok, type Result } from '../../../result.ts'
import type { Keyring } from '../../../crypto/keyring.ts'
import type { Grant } from '../grants/grant.ts'
import { grantIdOf, isGrantToken } from '../grants/grant-token.ts'
import { createRecentSessions } from './recent-sessions.ts'
import {
  decodeContent,
  encodeContent,
  type SessionContent,
  type Session,
  sessionOf,
} from './session.ts'
import { hashOfToken, isSessionToken, newSessionToken } from './session-token.ts'
import { createSessionWatch } from './session-watch.ts'

export type { Session } from './session.ts'

/** A person's grant to a program. */
export interface NewGrant extends Omit<NewSession, 'userAgent'> {
  readonly grant: Grant
  /** The secret that its refresh tokens begin with. */
  readonly family: string
  /** Its first use must come before; later ones at the latest after `GRANT_IDLE_MS`. In milliseconds since the Unix epoch. */
  readonly unusedUntil: number
  readonly expiresAt: number
}

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

export interface ListedGrant extends ListedSession {
  readonly grant: Grant
}

export type SessionLookup =
  | { readonly kind: 'active'; readonly session: Session }
  /** Unknown, ended, expired or sealed with a key that we lack. */
  | { readonly kind: 'invalid' }
  /** The store does not answer, and has confirmed the session in the last 30 s: good for reading alone. */
  | { readonly kind: 'unconfirmed'; readonly session: Session }
  /** The store did not answer. */
  | { readonly kind: 'unavailable' }

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
  /** Without it no access token opens anything. */
  readonly grantTokens?: Pick<GrantTokenStore, 'find'>
  readonly keyring: Keyring
  readonly clock: Clock
  readonly log: (event: SessionEvent) => void
  readonly idleSeconds: number
  readonly absoluteSeconds: number
  /** Limit of sessions per person; a new one beyond it ends the oldest. */
  readonly perPerson?: number
}

/** An unused grant ends after this time, and a used one at `GRANT_MAX_MS`. */
export const GRANT_IDLE_MS = 30 * 24 * 60 * 60_000
export const GRANT_MAX_MS = 90 * 24 * 60 * 60_000
const GRANTS_PER_PERSON = 50
/** Jobs that run at a time; each ends within an hour. */
const JOBS_PER_RULE = 1_000
const TOUCH_MS = 60_000
const CLOCK_SKEW_MS = 5 * 60_000
/** Longer than the header of any real browser; clients can send any length. */
const USER_AGENT_MAX_CHARACTERS = 256
const NO_GRANTS: Pick<GrantTokenStore, 'find'> = { find: async () => ok(null) }
const INVALID: SessionLookup = { kind: 'invalid' }
const UNAVAILABLE: SessionLookup = { kind: 'unavailable' }

export type Sessions = ReturnType<typeof createSessions>

export function createSessions({
  store,
  grantTokens = NO_GRANTS,
  keyring,
  clock,
  log,
  idleSeconds,
  absoluteSeconds,
  perPerson = 10,
}: SessionsOptions) {
  const idleMs = idleSeconds * 1000
  const touchMs = Math.min(TOUCH_MS, idleMs / 2)
  const recent = createRecentSessions()
  /** As the last question to it ended. */
  let isStoreAway = false
  /** Reads of the store that are under way. Apart from `recent`, so that made-up tokens displace no confirmed session. */
  const pending = new Map<string, Promise<SessionLookup>>()
  /** Hashes of ended sessions whose rows the store could not remove. */
  const refused = createLru<string, true>()

  const isOver = ({ kind, seenAt, expiresAt }: SessionTimes, now: number) =>
    now >= expiresAt || now >= seenAt + (kind === 'grant' ? GRANT_IDLE_MS : idleMs)
  const isSessionOver = ({ grant, ...times }: Session, now: number) =>
    isOver({ ...times, kind: grant === null ? 'browser' : 'grant' }, now)

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
    const { grant } = content
    if (grant?.session !== undefined) {
      const around = await find(grant.session, now)
      if (around.kind !== 'active') return around.kind === 'invalid' ? remove(idHash) : around
    }
    return { kind: 'active', session: sessionOf(row, content) }
  }

  function unconfirmed(token: string, now: number): SessionLookup | undefined {
    const session = recent.getUnconfirmed(token, now)
    return session !== undefined && !isSessionOver(session, now)
      ? { kind: 'unconfirmed', session }
      : undefined
  }

  /** An access token may have gone before its row has. */
  async function findByToken(token: string, now: number): Promise<SessionLookup> {
    if (isSessionToken(token)) return find(hashOfToken(token), now)
    const found = await grantTokens.find(hashOfToken(token))
    if (!found.ok) {
      log({ kind: 'store_unavailable', during: 'resolve', reason: found.error.reason })
      return UNAVAILABLE
    }
    const row = found.value
    return row?.kind === 'access' && now < row.expiresAt ? find(row.grantId, now) : INVALID
  }

  async function ask(token: string, now: number): Promise<SessionLookup> {
    const found = await findByToken(token, now)
    if (found.kind !== 'active') return found
    const { session } = found
    // Each kind has tokens of its own, whatever the database says.
    if ((session.grant === null) !== isSessionToken(token)) return INVALID
    return { ...found, session: touch(session, now) }
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

  async function insert(
    facts: Omit<SessionRow, 'issuer' | 'subject' | 'version' | 'keyId' | 'sealed'>,
    content: SessionContent,
    keep: number,
  ): Promise<Result<Session, DatabaseFailure>> {
    const { issuer, subject } = content.principal
    const sealed = keyring.seal(facts.idHash, encodeContent(content))
    const row: SessionRow = { ...facts, issuer, subject, version: 1, ...sealed }
    const inserted = await store.insert(row, keep)
    return inserted.ok ? ok(sessionOf(row, content)) : inserted
  }

  async function listLiving(person: SessionPerson, kind: SessionKind) {
    const listed = await store.list(personOf(person))
    if (!listed.ok) return listed
    const now = clock.now()
    return ok(listed.value.filter((session) => session.kind === kind && !isOver(session, now)))
  }

  /** Fails when the store cannot remove the session; this process refuses the session all the same. */
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
    /** Makes a session with a new token, and ends the browser's previous one (session fixation). */
    async open(
      { principal, sid, tokens, address, userAgent }: NewSession,
      previousToken?: string,
    ): Promise<Result<{ readonly token: string; readonly session: Session }, DatabaseFailure>> {
      if (previousToken !== undefined) {
        const ended = await end(previousToken)
        if (!ended.ok) return ended
      }
      const token = newSessionToken()
      const now = clock.now()
      const opened = await insert(
        {
          idHash: hashOfToken(token),
          kind: 'browser',
          sid,
          createdAt: now,
          seenAt: now,
          expiresAt: now + absoluteSeconds * 1000,
          address,
          userAgent: userAgent?.slice(0, USER_AGENT_MAX_CHARACTERS) ?? null,
        },
        { principal, tokens, renewingUntil: null, claimsAt: now },
        perPerson,
      )
      return opened.ok ? ok({ token, session: opened.value }) : opened
    },

    /** Makes the session of a grant. */
    openGrant(granted: NewGrant): Promise<Result<Session, DatabaseFailure>> {
      const { principal, sid, tokens, address, grant, family, unusedUntil, expiresAt } = granted
      const now = clock.now()
      return insert(
        {
          idHash: grantIdOf(family),
          kind: 'grant',
          clientKind: grant.kind,
          sid,
          createdAt: now,
          seenAt: unusedUntil - GRANT_IDLE_MS,
          expiresAt,
          address,
          userAgent: null,
        },
        { principal, tokens, renewingUntil: null, claimsAt: now, grant },
        grant.kind === 'workload' ? JOBS_PER_RULE : GRANTS_PER_PERSON,
      )
    },

    /**
     * The session of a cookie's token, or of an access token of a grant. Answers without a promise for a token that the store confirmed less
     * than a second ago, and, while the store is away, to who reads for one that it confirmed less than 30 s ago. Who decides something
     * waits for the store: it may be back.
     */
    resolve(
      token: string,
      use: 'reading' | 'deciding' = 'reading',
    ): SessionLookup | Promise<SessionLookup> {
      if (!isSessionToken(token) && !isGrantToken('access', token)) return INVALID
      const now = clock.now()
      const session = recent.get(token, now)
      if (session !== undefined && !isSessionOver(session, now)) return { kind: 'active', session }
      const asking = askOnce(token, now)
      const known = isStoreAway && use === 'reading' ? unconfirmed(token, now) : undefined
      if (known === undefined) return asking
      // The next caller meets the same bug.
      asking.catch(() => undefined)
      return known
    },

    /** The current state of a session, for streams that outlive their request. Does not count as use. */
    reread: ({ idHash }: Pick<Session, 'idHash'>): Promise<SessionLookup> =>
      find(idHash, clock.now()),

    end,

    /** Ends every session of a person, or of one sign-in, and answers their number. */
    endPerson: (owner: SessionOwner): Promise<Result<number, DatabaseFailure>> => endAll(owner),

    /** Ends a session of the person. Answers `false` when they have no such session. */
    async endOwn(person: SessionPerson, idHash: string): Promise<Result<boolean, DatabaseFailure>> {
      const removed = await endAll({ ...personOf(person), kind: 'own', idHash })
      return removed.ok ? ok(removed.value > 0) : removed
    },

    /** Ends every other session of the session's person, and answers their number. */
    endOthers: ({ principal, idHash }: Session): Promise<Result<number, DatabaseFailure>> =>
      endAll({ ...personOf(principal), kind: 'others', idHash }),

    /** The living sessions of a person in browsers, newest first. */
    list: (person: SessionPerson): Promise<Result<readonly ListedSession[], DatabaseFailure>> =>
      listLiving(person, 'browser'),

    /** The living grants of a person, newest first. */
    async listGrants(
      person: SessionPerson,
    ): Promise<Result<readonly ListedGrant[], DatabaseFailure>> {
      const listed = await listLiving(person, 'grant')
      if (!listed.ok) return listed
      const grants: ListedGrant[] = []
      for (const row of listed.value) {
        const found = await find(row.idHash, clock.now())
        if (found.kind === 'active' && found.session.grant !== null) {
          grants.push({ ...row, grant: found.session.grant })
        }
      }
      return ok(grants)
    },

    /** The number of living grants, by the kind of their client. Reads every grant. */
    countGrants() {
      const now = clock.now()
      return store.countGrants(now, now - GRANT_IDLE_MS)
    },

    /** For a session that was renewed: from now on `resolve` does not answer with an earlier state. */
    supersede({ idHash }: Pick<Session, 'idHash'>): void {
      recent.dropSession(idHash)
      // A read that is under way may have found the row as it was before.
      pending.clear()
    },

    /**
     * Calls `onEnd` when the session ends: at once for an end in this process, within a second for one elsewhere. The returned function
     * ends the watch.
     */
    watch: (session: Session, onEnd: () => void): (() => void) => watches.watch(session, onEnd),

    /** Removes expired sessions. For a timer. */
    sweep() {
      const now = clock.now()
      recent.dropOld(now)
      return store.remove({
        kind: 'over',
        expiredAt: now,
        seenBefore: { browser: now - idleMs, grant: now - GRANT_IDLE_MS },
      })
    },
  }
}

/** The key of a principal, without its claims. */
const personOf = ({ issuer, subject }: SessionPerson): SessionPerson => ({ issuer, subject })
