import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { readAhead } from '../../../../concurrency/read-ahead.ts'
import { createSingleFlight } from '../../../../concurrency/single-flight.ts'
import type { Clock } from '../../../../ports/clock.ts'
import type { SecretStoreFailure } from '../../../../ports/secret-store.ts'
import { ok, type Result } from '../../../../result.ts'
import type { VaultClient } from '../api/client.ts'
import { isUsable, type StoreSession } from './lease.ts'
import { logIn } from './log-in.ts'
import { type PersonLogin, personRequest } from './method.ts'
import { revokeSelf } from './own-token.ts'
import type { Tokens } from './tokens.ts'

type Outcome = Result<StoreSession, SecretStoreFailure>

/** Persons who work at the same time. The token of the person who was away longest is left to its lease. */
const PERSONS_MAX = 500
/** Later the store judges the person anew: a role without a lease of its own gives tokens for a month. */
const USED_MAX_MS = 3_600_000
const REVOKED_AT_ONCE = 8

export interface PersonTokensOptions {
  readonly client: VaultClient
  readonly login: PersonLogin
  readonly clock: Clock
  readonly personsMax?: number
}

/** The tokens of persons, each for an ID token. They are not renewed: the next login is the next look at the person's rights. */
export function createPersonTokens({
  client,
  login,
  clock,
  personsMax = PERSONS_MAX,
}: PersonTokensOptions) {
  const sessions = new LRUCache<string, StoreSession>({ max: personsMax })
  const logins = createSingleFlight<Outcome>()

  const start = (key: string, idToken: string): Promise<Outcome> =>
    logins.join(key, async () => {
      const outcome = await logIn(client, personRequest(login, idToken), clock)
      if (outcome.ok) sessions.set(key, outcome.value)
      return outcome
    })

  return {
    of(idToken: string): Tokens {
      const key = createHash('sha256').update(idToken).digest('base64url')
      return {
        async current() {
          const session = sessions.get(key)
          const now = clock.now()
          const isRecent = session !== undefined && Math.abs(now - session.startedAt) < USED_MAX_MS
          return isRecent && isUsable(session, now) ? ok(session) : start(key, idToken)
        },
        async replace(refused) {
          if (sessions.peek(key)?.token === refused.token) sessions.delete(key)
          return this.current()
        },
      }
    },
    /** Revokes the tokens, until the store cannot be reached. */
    async close() {
      await logins.ended()
      const tokens = [...sessions.values()].map(({ token }) => token)
      const revocations = readAhead(tokens, REVOKED_AT_ONCE, (token) => revokeSelf(client, token))
      for await (const [, revoked] of revocations) if (!revoked.ok) return
    },
  }
}
