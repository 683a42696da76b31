import { createHash } from 'node:crypto'
import type { Clock } from '../../ports/clock.ts'
import type { Cluster } from '../../ports/clusters.ts'
import type { AudienceToken, IdentityProvider } from '../../ports/identity.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SessionTokens, SessionTokensFailure } from '../access/session-tokens.ts'
import type { Session } from '../access/sessions.ts'

export interface ClusterTokensOptions {
  readonly sessionTokens: SessionTokens
  readonly identity: Pick<IdentityProvider, 'exchange'>
  readonly clock: Clock
}

type Outcome = Result<AudienceToken, SessionTokensFailure>

/** A token that ends sooner is not used for another request. */
const SPARE_MS = 30_000
const KEPT_MAX = 1_000

/**
 * The person's token for a cluster: the ID token of the session, or one for the cluster's audience alone. Those are kept in
 * memory until shortly before their end, by the session's access token, and asked for once however many need one.
 */
export function createClusterTokens({ sessionTokens, identity, clock }: ClusterTokensOptions) {
  const kept = new Map<string, Kept>()

  function exchange(accessToken: string, audience: string, endsAt: number): Promise<Outcome> {
    const key = keyOf(accessToken, audience)
    const known = kept.get(key)
    if (known !== undefined && clock.now() + SPARE_MS < known.expiresAt) return known.outcome
    const entry: Kept = {
      outcome: exchanged(identity, accessToken, audience),
      expiresAt: Number.POSITIVE_INFINITY,
      token: null,
    }
    kept.delete(key)
    forgetOldest(kept)
    kept.set(key, entry)
    void settle(key, entry, endsAt)
    return entry.outcome
  }

  /** A failure is not kept, nor a bug, which its caller sees. */
  async function settle(key: string, entry: Kept, endsAt: number): Promise<void> {
    const exchanged = await entry.outcome.catch(() => undefined)
    if (exchanged?.ok === true) {
      entry.expiresAt = Math.min(exchanged.value.expiresAt, endsAt)
      entry.token = exchanged.value.token
    } else if (kept.get(key) === entry) kept.delete(key)
  }

  return {
    async tokenFor({ auth }: Cluster, session: Session): Promise<Outcome> {
      const passthrough = auth.mode === 'passthrough'
      const current = await sessionTokens.current(session, passthrough ? 'idToken' : 'accessToken')
      if (!current.ok) return current
      const { idToken, idTokenExpiresAt, accessToken, expiresAt } = current.value
      return passthrough
        ? ok({ token: idToken, expiresAt: idTokenExpiresAt })
        : await exchange(accessToken, auth.audience, expiresAt)
    },

    /** What a cluster did not accept is not used again. Whether asking again may give another token. */
    forget({ auth }: Cluster, token: string): boolean {
      for (const [key, entry] of kept) if (entry.token === token) kept.delete(key)
      // Somebody who was refused at the same time may have forgotten it before.
      return auth.mode === 'exchange'
    },
  }
}

interface Kept {
  readonly outcome: Promise<Outcome>
  /** Of the exchanged token or the one that it was made of, whichever ends first. */
  expiresAt: number
  token: string | null
}

const keyOf = (accessToken: string, audience: string): string =>
  `${createHash('sha256').update(accessToken).digest('hex')} ${audience}`

function forgetOldest(kept: Map<string, unknown>): void {
  if (kept.size < KEPT_MAX) return
  const oldest = kept.keys().next()
  if (oldest.done === false) kept.delete(oldest.value)
}

/** A refused exchange is a cluster's matter: the sign-in itself may be good. */
async function exchanged(
  identity: ClusterTokensOptions['identity'],
  accessToken: string,
  audience: string,
): Promise<Outcome> {
  const outcome = await identity.exchange(accessToken, audience)
  return !outcome.ok && outcome.error.kind === 'identity_rejected'
    ? err({ kind: 'identity_token_missing' })
    : outcome
}
