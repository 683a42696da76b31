import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type ServerMetadata,
} from 'openid-client'
import type {
  IdentityProvider,
  SignIn,
  SignInFailure,
  SignInTransaction,
} from '../../../ports/identity.ts'
import { err, ok, type Result } from '../../../result.ts'
import { callbackFault } from '../callback.ts'
import { signInFailure, UnusableAnswer } from './failure.ts'
import { principalOf, sidOf, tokensOf, userInfo, verifyIdToken } from './identity-of.ts'
import type { OidcSettings } from './settings.ts'
import type { Issuer, IssuerCall } from './issuer.ts'
import { checkIssuedAt } from './verify.ts'

/** The error of providers that cannot sign a person in as it was asked for; others sign them in less strongly. */
const UNMET_ACR = 'unmet_authentication_requirements'

/** Authorization code flow with PKCE (OpenID Connect Core 1.0 §3.1, RFC 7636, RFC 9207). */
export function createSignIn(
  issuer: Issuer,
  settings: OidcSettings,
  redirectUri: string,
): Pick<IdentityProvider, 'authorizationRequest' | 'signIn'> {
  const { OIDC_SCOPES: scopes, OIDC_OFFLINE_SCOPE: offlineScope, OIDC_PROMPT: prompt } = settings
  const { OIDC_ACR_VALUES: acrValues, OIDC_AUDIENCES: audiences, clock } = settings

  /** Throws when the answer or the ID token fails a check. */
  async function complete(
    call: IssuerCall,
    callback: URLSearchParams,
    { state, nonce, codeVerifier }: SignInTransaction,
  ): Promise<Result<SignIn, SignInFailure>> {
    const { issuer: name, authorization_response_iss_parameter_supported: isNamed = false } =
      call.metadata
    const fault = callbackFault(callback, name, state, isNamed)
    if (fault !== null) return err(fault)
    const askedAt = clock.now()
    const url = new URL(redirectUri)
    url.search = callback.toString()
    const answer = await authorizationCodeGrant(call.configuration, url, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    })
    const { id_token: idToken, access_token: accessToken } = answer
    if (idToken === undefined) throw new UnusableAnswer('no_id_token')
    const { claims, expiresAt: idTokenExpiresAt } = await verifyIdToken(call, idToken, settings)
    checkIssuedAt(claims, clock)
    if (acrValues.length > 0 && !acrValues.some((acr) => acr === claims['acr'])) {
      return err({ kind: 'sign_in_refused', error: UNMET_ACR })
    }
    const fromUserInfo =
      settings.OIDC_GROUPS_FROM === 'userinfo' ? await userInfo(call, accessToken, claims) : null
    return ok({
      principal: principalOf(claims, fromUserInfo, settings),
      sid: sidOf(claims),
      tokens: tokensOf(answer, { idToken, idTokenExpiresAt }, askedAt, null),
    })
  }

  return {
    authorizationRequest: (purpose = 'session') =>
      issuer.ask(async ({ metadata, configuration, pageUrl }) => {
        const transaction = {
          state: randomState(),
          nonce: randomNonce(),
          codeVerifier: randomPKCECodeVerifier(),
        }
        const isOffline =
          purpose === 'grant' && offlineScope !== '' && isOffered(offlineScope, metadata)
        const wanted = isOffline ? [...new Set([...scopes, offlineScope])] : scopes
        const asked = new URLSearchParams({
          redirect_uri: redirectUri,
          scope: wanted.join(' '),
          state: transaction.state,
          nonce: transaction.nonce,
          code_challenge: await calculatePKCECodeChallenge(transaction.codeVerifier),
          code_challenge_method: 'S256',
        })
        // Providers drop the scope without it (OpenID Connect Core 1.0 §11).
        const prompts = new Set([
          ...prompt.split(' ').filter(Boolean),
          ...(isOffline ? ['consent'] : []),
        ])
        if (prompts.size > 0) asked.set('prompt', [...prompts].join(' '))
        if (acrValues.length > 0) asked.set('acr_values', acrValues.join(' '))
        for (const audience of audiences) asked.append('audience', audience)
        const url = buildAuthorizationUrl(configuration, asked)
        return { url: pageUrl(url), transaction }
      }),

    async signIn(callback, transaction) {
      const answered = await issuer.ask(
        (call) => complete(call, callback, transaction),
        signInFailure,
      )
      return answered.ok ? answered.value : answered
    },
  }
}

/** Google, GitLab and Cognito refuse a whole request for the scope `offline_access`, which they do not list. */
const isOffered = (scope: string, { scopes_supported: offered }: ServerMetadata): boolean =>
  offered?.includes(scope) ?? true
