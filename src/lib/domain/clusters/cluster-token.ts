import { createLru } from '../../concurrency/lru.ts'
import { createHash } from 'node:crypto'
import type { Clock } from '../../ports/clock.ts'
import type { Cluster } from '../../ports/clusters.ts'
import type { AudienceToken, IdentityProvider } from '../../ports/identity.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SessionTokens, SessionTokensFailure } from '../access/sessions/session-credentials.ts'
import type { RequestFacts } from '../audit/audit.ts'
import type { Session } from '../access/sessions/sessions.ts'

export interface ClusterTokensOptions {
  readonly sessionTokens: SessionTokens
  readonly identity: Pick<IdentityProvider, 'exchange'>
  readonly clock: Clock
}

type Outcome = Result<AudienceToken, SessionTokensFailure>

/** Tokens with less lifetime left are not used for another request. */
const SPARE_MS = 30_000
const EXCHANGES_MAX = 1_000

interface Exchange {
  readonly outcome: Promise<Outcome>
  /** When the exchanged token or its subject token expires, whichever is first. */
  expiresAt: number
  token: string | null
}

/**
 * A person's token for a cluster: the ID token of the session, or a token exchanged for the cluster's audience. Exchanges are
 * cached in memory by the session's access token until shortly before they expire; concurrent requests share one.
 */
export function createClusterTokens({ sessionTokens, identity, clock }: ClusterTokensOptions) {
  const exchanges = createLru<string, Exchange>(EXCHANGES_MAX)

  function exchange(accessToken: string, audience: string, endsAt: number): Promise<Outcome> {
    const key = keyOf(accessToken, audience)
    const cached = exchanges.get(key)
    if (cached !== undefined && clock.now() + SPARE_MS < cached.expiresAt) return cached.outcome
    const started: Exchange = {
      outcome: exchangeToken(identity, accessToken, audience),
      expiresAt: Number.POSITIVE_INFINITY,
      token: null,
    }
    exchanges.set(key, started)
    void settle(key, started, endsAt)
    return started.outcome
  }

  /** Neither failures nor exceptions stay cached; the caller receives them. */
  async function settle(key: string, started: Exchange, endsAt: number): Promise<void> {
    const outcome = await started.outcome.catch(() => undefined)
    if (outcome?.ok === true) {
      started.expiresAt = Math.min(outcome.value.expiresAt, endsAt)
      started.token = outcome.value.token
    } else if (exchanges.peek(key) === started) exchanges.delete(key)
  }

  return {
    async tokenFor({ auth }: Cluster, session: Session, request: RequestFacts): Promise<Outcome> {
      // A cluster knows the whole person, and nothing of the teams of a grant.
      if (session.grant !== null && session.grant.teams !== null) {
        return err({ kind: 'identity_token_missing' })
      }
      const passthrough = auth.mode === 'passthrough'
      const needed = passthrough ? 'idToken' : 'accessToken'
      const current = await sessionTokens.current(session, needed, request)
      if (!current.ok) return current
      const { idToken, idTokenExpiresAt, accessToken, expiresAt } = current.value
      return passthrough
        ? ok({ token: idToken, expiresAt: idTokenExpiresAt })
        : await exchange(accessToken, auth.audience, expiresAt)
    },

    /** Drops a token that a cluster rejected. Returns whether `tokenFor` may now give another one. */
    forget({ auth }: Cluster, token: string): boolean {
      const rejected = [...exchanges].filter(([, exchange]) => exchange.token === token)
      for (const [key] of rejected) exchanges.delete(key)
      // True even if nothing was dropped: a concurrent request may have dropped it before.
      return auth.mode === 'exchange'
    },
  }
}

const keyOf = (accessToken: string, audience: string): string =>
  `${createHash('sha256').update(accessToken).digest('hex')} ${audience}`

/** A refused exchange concerns this cluster alone: the sign-in itself may still be valid. */
async function exchangeToken(
  identity: ClusterTokensOptions['identity'],
  accessToken: string,
  audience: string,
): Promise<Outcome> {
  const outcome = await identity.exchange(accessToken, audience)
  return !outcome.ok && outcome.error.kind === 'identity_rejected'
    ? err({ kind: 'identity_token_missing' })
    : outcome
}
