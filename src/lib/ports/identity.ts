import type { Result } from '../result.ts'
import type { ConnectionFinding } from './connection-finding.ts'

/** The identity provider that people sign in at. A call ends within its deadline. */
export interface IdentityProvider {
  /**
   * Begins a sign-in: the page of the provider to send the person to (authorization code flow with PKCE S256, state and nonce), and
   * what `signIn` needs to check the callback. `grant`: for tokens that outlive the person's session at the provider, where it allows
   * that.
   */
  authorizationRequest(
    purpose?: 'session' | 'grant',
  ): Promise<Result<AuthorizationRequest, IdentityFailure>>
  /** Completes a sign-in with the query of the callback. A code is accepted once. */
  signIn(
    callback: URLSearchParams,
    transaction: SignInTransaction,
  ): Promise<Result<SignIn, SignInFailure>>
  /**
   * The person's current claims. With a refresh token there are new tokens and the given refresh token must not be used again;
   * without one the claims come from UserInfo, where the provider has the groups there.
   */
  renew(tokens: IdentityTokens): Promise<Result<SignIn, RenewalFailure>>
  /**
   * Exchanges an access token for a token of another audience (RFC 8693). A token that further audiences would accept is an
   * `identity_error`.
   */
  exchange(accessToken: string, audience: string): Promise<Result<AudienceToken, IdentityFailure>>
  /**
   * The page of the provider that ends its own session (OpenID Connect RP-Initiated Logout 1.0); `null` for a provider without one.
   */
  logoutUrl(idToken: string): Promise<Result<string | null, IdentityFailure>>
  /**
   * Verifies a logout token and returns the sessions that it ends (OpenID Connect Back-Channel Logout 1.0). The caller refuses a
   * `tokenId` that it has seen before.
   */
  readLogoutToken(token: string): Promise<Result<LogoutNotice, LogoutTokenFailure>>
  /** Revokes a refresh token (RFC 7009). Does nothing at a provider without revocation, or for a token that has ended. */
  revoke(refreshToken: string): Promise<Result<void, IdentityFailure>>
  /** Tries the provider for `config check --connect`. */
  check(): Promise<readonly ConnectionFinding[]>
}

export interface AuthorizationRequest {
  /** May be relative to the public URL. */
  readonly url: string
  readonly transaction: SignInTransaction
}

/** Binds a callback to its authorization request. Secret: whoever has it can complete the sign-in elsewhere. */
export interface SignInTransaction {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

/** The acting person as the identity provider describes them. `issuer` and `subject` identify the person; the rest may change. */
export interface Principal {
  readonly issuer: string
  readonly subject: string
  readonly name: string
  readonly email: string | null
  readonly groups: Groups
  /** The grant by which a program acts for the person; absent in a browser. */
  readonly via?: Via
  /** The teams that the grant is for; absent: all of the person's. */
  readonly onlyTeams?: readonly string[]
  /** The environments that a workload may change; absent: all. */
  readonly onlyEnvironments?: readonly string[]
}

/** `cli`: our command line; `agent`: a program with a metadata document of its own; `workload`: a job of a CI system, by a rule. */
export type GrantKind = 'cli' | 'agent' | 'workload'

export interface Via {
  readonly kind: GrantKind
  /** Id of the grant. */
  readonly id: string
  /** Client id of the program. */
  readonly client: string
}

/** Unknown groups grant nothing. An empty claim is known: the person is in no group. */
export type Groups =
  | { readonly kind: 'known'; readonly names: readonly string[] }
  | { readonly kind: 'unknown'; readonly reason: UnknownGroups }

/**
 * - `missing`: the provider sent no groups claim
 * - `too_many`: the provider left the groups out because there are too many (Entra's overage), or sent more than we read
 * - `unreadable`: the claim is not a list of groups
 */
export type UnknownGroups = 'missing' | 'too_many' | 'unreadable'

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
  /** The provider's session id, which its logout tokens name. */
  readonly sid: string | null
  readonly tokens: IdentityTokens
}

export interface AudienceToken {
  readonly token: string
  /** In milliseconds since the Unix epoch. */
  readonly expiresAt: number
}

/** `sid` names one session of the provider; without it all of the subject's have ended. At least one of the two is set. */
export interface LogoutNotice {
  readonly issuer: string
  readonly subject: string | null
  readonly sid: string | null
  readonly tokenId: string
  /** The token is too old from this time on, in milliseconds since the Unix epoch. */
  readonly expiresAt: number
}

export type IdentityFailure =
  /** The installation has no identity provider. */
  | { readonly kind: 'identity_not_configured' }
  | { readonly kind: 'identity_unreachable' }
  | { readonly kind: 'identity_timeout' }
  /** An unusable response. `reason` is for the log. */
  | { readonly kind: 'identity_error'; readonly reason: string }
  /** The provider no longer accepts the token (such as by `invalid_grant`): the person has to sign in again. */
  | { readonly kind: 'identity_rejected' }

export type SignInFailure =
  | IdentityFailure
  /** The provider refused. `error` is the OAuth error code of the callback, such as `access_denied`: `[a-z_]{1,40}`. */
  | { readonly kind: 'sign_in_refused'; readonly error: string }
  /** This browser has no pending request for the callback, or the code was used before or has expired. */
  | { readonly kind: 'sign_in_expired' }
  /** The times in the ID token and our clock disagree. */
  | { readonly kind: 'sign_in_clock' }
  /** The callback or the ID token failed a check. `reason` is for the log. */
  | { readonly kind: 'sign_in_invalid'; readonly reason: string }

export type RenewalFailure =
  | IdentityFailure
  /** There is no refresh token, and UserInfo has no groups or its access token has ended. */
  | { readonly kind: 'identity_not_renewable' }
  /**
   * The provider gave new tokens, and then the claims could not be read. The caller must keep the tokens: the old refresh token is
   * used up.
   */
  | {
      readonly kind: 'identity_claims_unread'
      readonly tokens: IdentityTokens
      readonly failure: IdentityFailure
    }

export type LogoutTokenFailure =
  | IdentityFailure
  /** `reason` is for the log. */
  | { readonly kind: 'logout_token_invalid'; readonly reason: string }
