import type { RequestFacts } from '../../audit/audit.ts'
import type { SessionClaims } from '../sessions/session-credentials.ts'
import type { RenewalFailure } from '../sessions/session-renewal.ts'
import type { Session, Sessions } from '../sessions/sessions.ts'
import type { Grant } from './grant.ts'

export type GrantLookup =
  | {
      readonly kind: 'active'
      readonly session: Session
      readonly grant: Grant
      /** Why its claims are older than those of a decision; `null`: they are recent. */
      readonly unrenewed: RenewalFailure | null
    }
  /** Not a token of ours, unknown, or ended. */
  | { readonly kind: 'invalid' }
  | { readonly kind: 'unavailable' }

/**
 * The grant of an access token. It is asked of the identity provider at its age, for reading too: nobody sees it end otherwise. While the
 * provider is away reading goes on.
 */
export async function findGrant(
  sessions: Pick<Sessions, 'resolve'>,
  claims: SessionClaims,
  token: string,
  request: RequestFacts,
): Promise<GrantLookup> {
  const resolved = await sessions.resolve(token)
  // While the store is away nothing is known about an access token.
  if (resolved.kind === 'unconfirmed') return UNAVAILABLE
  if (resolved.kind !== 'active') return resolved
  const { grant } = resolved.session
  if (grant === null) return INVALID
  const recent = await claims.recent(resolved.session, request)
  if (recent.ok) return { kind: 'active', session: recent.value, grant, unrenewed: null }
  if (recent.error.kind === 'identity_rejected') return INVALID
  return { kind: 'active', session: resolved.session, grant, unrenewed: recent.error }
}

const INVALID: GrantLookup = { kind: 'invalid' }
const UNAVAILABLE: GrantLookup = { kind: 'unavailable' }
