import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createSessionCredentials } from '#src/lib/domain/access/sessions/session-credentials.ts'
import {
  createSessionRenewal,
  type RenewalEvent,
} from '#src/lib/domain/access/sessions/session-renewal.ts'
import type { Session } from '#src/lib/domain/access/sessions/session.ts'
import { createSessions } from '#src/lib/domain/access/sessions/sessions.ts'
import type { AuditEntry } from '#src/lib/domain/audit/audit.ts'
import type { SessionStore } from '#src/lib/ports/database/sessions.ts'
import type {
  IdentityProvider,
  IdentityTokens,
  Principal,
  RenewalFailure,
  SignIn,
} from '#src/lib/ports/identity.ts'
import { err, ok, type Result } from '#src/lib/result.ts'
import { ephemeralKeyring } from '#tests/support/ephemeral-keyring.ts'
import { valueOf } from '#tests/support/value-of.ts'

/** A person's session with tokens of a rotating identity provider, and replicas that renew them. */

export const T0 = Date.UTC(2026, 10, 21)
export const MINUTE = 60_000
const CLAIMS_MAX_AGE_MS = 5 * MINUTE
const CAUSE = { requestId: 'r-1', address: '192.0.2.7' }

export const ada: Principal = {
  issuer: 'https://id.example.org',
  subject: 'ada',
  name: 'Ada',
  email: null,
  groups: { kind: 'known', names: ['payments'] },
}

export const tokensOf = (round: number, from: number): IdentityTokens => ({
  idToken: `id-${round}`,
  idTokenExpiresAt: from + 10 * MINUTE,
  accessToken: `access-${round}`,
  refreshToken: `refresh-${round}`,
  expiresAt: from + 5 * MINUTE,
})

/** A rotating identity provider: each refresh token is good for once. */
function createProvider(clock: { now(): number }) {
  let round = 0
  const provider = {
    asked: [] as string[],
    answer: undefined as Result<SignIn, RenewalFailure> | undefined,
    pace: Promise.resolve() as Promise<unknown>,
    async renew({ refreshToken }: IdentityTokens) {
      const token = refreshToken ?? ''
      provider.asked.push(token)
      await provider.pace
      if (provider.answer !== undefined) return provider.answer
      if (token !== `refresh-${round}`) return err({ kind: 'identity_rejected' } as const)
      round++
      const groups = { kind: 'known', names: [`round-${round}`] } as const
      return ok({ principal: { ...ada, groups }, sid: null, tokens: tokensOf(round, clock.now()) })
    },
  }
  return provider satisfies Pick<IdentityProvider, 'renew'>
}

export async function world({ tokens = tokensOf(0, T0) }: { tokens?: IdentityTokens | null } = {}) {
  const database = valueOf(await openDatabase('sqlite::memory:'))
  const { sessions: store } = database
  const clock = {
    at: T0,
    /** How far the wall clock was set forward or back. */
    off: 0,
    now: () => clock.at + clock.off,
    elapsed: () => clock.at,
  }
  const keyring = ephemeralKeyring()
  const provider = createProvider(clock)
  const recorded: AuditEntry[] = []
  const logged: RenewalEvent[] = []
  const audit = {
    record: async (_: unknown, entry: AuditEntry) => (recorded.push(entry), ok(undefined)),
  }
  const limits = { idleSeconds: 36_000, absoluteSeconds: 36_000 }
  const newSessions = (over: Partial<SessionStore> = {}) =>
    createSessions({ store: { ...store, ...over }, keyring, clock, log: () => {}, ...limits })
  const sessions = newSessions()
  /** One process, with its own memory, on the store of all. */
  const replica = (over: Partial<SessionStore> = {}, own = newSessions()) => {
    const { tokens, claims } = createSessionCredentials(
      createSessionRenewal({
        store: { ...store, ...over },
        sessions: own,
        keyring,
        identity: provider,
        audit,
        clock,
        log: (event) => void logged.push(event),
      }),
      clock,
      CLAIMS_MAX_AGE_MS / 1000,
      () => false,
    )
    return {
      current: (session: Session, needed: 'idToken' | 'accessToken') =>
        tokens.current(session, needed, CAUSE),
      recent: (session: Session) => claims.recent(session, CAUSE),
    }
  }
  const signIn = async (tokens: IdentityTokens | null) => {
    const browser = { address: null, userAgent: null }
    return valueOf(await sessions.open({ principal: ada, sid: null, tokens, ...browser }))
  }
  const { session, token } = await signIn(tokens)
  return {
    clock,
    provider,
    replica,
    sessions,
    newSessions,
    keyring,
    recorded,
    logged,
    session,
    token,
    signIn,
    store,
    resolve: () => {
      clock.at += 1_001
      return sessions.resolve(token)
    },
    [Symbol.asyncDispose]: () => database.close(),
  }
}
