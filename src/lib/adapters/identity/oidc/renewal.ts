import { decodeJwt } from 'jose'
import { refreshTokenGrant, type TokenEndpointResponse } from 'openid-client'
import type {
  IdentityFailure,
  IdentityProvider,
  IdentityTokens,
  RenewalFailure,
  SignIn,
} from '../../../ports/identity.ts'
import { err, type Result } from '../../../result.ts'
import {
  type Claims,
  principalOf,
  sidOf,
  tokensOf,
  userInfo,
  verifyIdToken,
} from './identity-of.ts'
import { refreshFailure } from './failure.ts'
import type { OidcSettings } from './settings.ts'
import type { Issuer, IssuerCall } from './issuer.ts'

/** Renews claims by the refresh token (OpenID Connect Core 1.0 §12), or reads them anew from UserInfo. */
export function createRenewal(
  issuer: Issuer,
  settings: OidcSettings,
): Pick<IdentityProvider, 'renew'> {
  const { OIDC_GROUPS_FROM: groupsFrom, clock } = settings

  /**
   * The person and tokens of a refresh answer. Without a new ID token the old one stays, and all claims come from UserInfo: those of
   * the old token, its groups above all, may be out of date.
   */
  async function signInFrom(
    call: IssuerCall,
    answer: TokenEndpointResponse,
    before: IdentityTokens,
    askedAt: number,
  ): Promise<SignIn> {
    const { id_token: idToken } = answer
    const { claims, expiresAt: idTokenExpiresAt } =
      idToken === undefined
        ? { claims: decodeJwt(before.idToken), expiresAt: before.idTokenExpiresAt }
        : await verifyIdToken(call, idToken, settings)
    const fromUserInfo =
      groupsFrom === 'userinfo' || idToken === undefined
        ? await offeredUserInfo(call, answer.access_token, claims)
        : null
    const verified = { idToken: idToken ?? before.idToken, idTokenExpiresAt }
    return {
      principal: principalOf(claims, fromUserInfo, settings),
      sid: sidOf(claims),
      tokens: tokensOf(answer, verified, askedAt, before.refreshToken),
    }
  }

  async function refresh(
    before: IdentityTokens,
    refreshToken: string,
  ): Promise<Result<SignIn, RenewalFailure>> {
    let tokens: IdentityTokens | undefined
    const renewed = await issuer.ask(async (call) => {
      const askedAt = clock.now()
      const answer = await refreshTokenGrant(call.configuration, refreshToken)
      tokens = tokensOf(answer, before, askedAt, refreshToken)
      return await signInFrom(call, answer, before, askedAt)
    }, refreshFailure)
    if (renewed.ok || tokens === undefined) return renewed
    return err({ kind: 'identity_claims_unread', tokens, failure: renewed.error })
  }

  async function readUserInfo(tokens: IdentityTokens): Promise<Result<SignIn, RenewalFailure>> {
    if (groupsFrom !== 'userinfo' || tokens.expiresAt <= clock.now()) {
      return err({ kind: 'identity_not_renewable' })
    }
    const read = await issuer.ask(async (call) => {
      const claims = decodeJwt(tokens.idToken)
      const fromUserInfo = await userInfo(call, tokens.accessToken, claims)
      return { principal: principalOf(claims, fromUserInfo, settings), sid: sidOf(claims), tokens }
    })
    return read.ok || !isRefusal(read.error) ? read : err({ kind: 'identity_rejected' })
  }

  return {
    renew: (tokens) =>
      tokens.refreshToken === null ? readUserInfo(tokens) : refresh(tokens, tokens.refreshToken),
  }
}

/** A provider without UserInfo has no claims there: groups are then unknown. */
const offeredUserInfo = (
  call: IssuerCall,
  accessToken: string,
  claims: Claims,
): Promise<Claims> | Claims =>
  call.metadata.userinfo_endpoint === undefined ? {} : userInfo(call, accessToken, claims)

/** UserInfo refuses an access token that has not expired when the provider revoked it (RFC 6750 §3.1). */
const isRefusal = (failure: IdentityFailure): boolean =>
  failure.kind === 'identity_error' && failure.reason === 'http_401'
