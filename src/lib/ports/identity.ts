import type { Result } from '../result.ts'

/** The identity provider that people signed in at. A call ends within its deadline. */
export interface IdentityProvider {
  /** The person's current identity, with new tokens. The given refresh token must not be used again. */
  refresh(refreshToken: string): Promise<Result<SignIn, IdentityFailure>>
  /**
   * Exchanges an access token for a token of another audience (RFC 8693). A token that further audiences would accept is an
   * `identity_error`.
   */
  exchange(accessToken: string, audience: string): Promise<Result<AudienceToken, IdentityFailure>>
}

/** The acting person as the identity provider describes them. `issuer` and `subject` identify the person; the rest may change. */
export interface Principal {
  readonly issuer: string
  readonly subject: string
  readonly name: string
  readonly email: string | null
  readonly groups: Groups
}

/** `unknown`: a token with too many groups lists none (Entra's overage). */
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
  /** An unusable response. `reason` is for the log. */
  | { readonly kind: 'identity_error'; readonly reason: string }
  /** The provider no longer accepts the token (`invalid_grant`): the person has to sign in again. */
  | { readonly kind: 'identity_rejected' }
