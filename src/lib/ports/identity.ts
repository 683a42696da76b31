import type { Result } from '../result.ts'

/** The identity provider that people signed in at. A call ends within its deadline. */
export interface IdentityProvider {
  /** Who somebody is now, with new tokens. The refresh token that was given may not be used again. */
  refresh(refreshToken: string): Promise<Result<SignIn, IdentityFailure>>
  /**
   * A token for somebody else's audience, made of an access token (RFC 8693). It is for this audience alone: one that others
   * would accept too is `identity_error`.
   */
  exchange(accessToken: string, audience: string): Promise<Result<AudienceToken, IdentityFailure>>
}

/** Who acts, as the identity provider named them. `issuer` and `subject` together are the person; the rest may change. */
export interface Principal {
  readonly issuer: string
  readonly subject: string
  readonly name: string
  readonly email: string | null
  readonly groups: Groups
}

/** A token with too many groups lists none (Entra's overage). That is not the same as being in none. */
export type Groups =
  { readonly kind: 'known'; readonly names: readonly string[] } | { readonly kind: 'unknown' }

/** The identity provider's tokens, for calls in the person's name. */
export interface IdentityTokens {
  readonly idToken: string
  /** When the ID token ends, in milliseconds since the Unix epoch. */
  readonly idTokenExpiresAt: number
  readonly accessToken: string
  readonly refreshToken: string | null
  /** When the access token ends, in milliseconds since the Unix epoch. */
  readonly expiresAt: number
}

export interface SignIn {
  readonly principal: Principal
  readonly tokens: IdentityTokens
}

export interface AudienceToken {
  readonly token: string
  /** In milliseconds since the Unix epoch. */
  readonly expiresAt: number
}

export type IdentityFailure =
  | { readonly kind: 'identity_unreachable' }
  | { readonly kind: 'identity_timeout' }
  /** An answer that is none. `reason` is for the log. */
  | { readonly kind: 'identity_error'; readonly reason: string }
  /** The provider does not know the token any more (`invalid_grant`): the person has to sign in again. */
  | { readonly kind: 'identity_rejected' }
