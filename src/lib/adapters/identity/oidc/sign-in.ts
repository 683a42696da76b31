import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import type { IdentityProvider, SignIn, SignInFailure } from '../../../ports/identity.ts'
import { err, type Result } from '../../../result.ts'
import { callbackFault } from '../callback.ts'
import { signInFailure } from './failure.ts'
import {
  type ClaimsSettings,
  principalOf,
  sidOf,
  tokensOf,
  userInfo,
  verifyIdToken,
} from './identity-of.ts'
import { InvalidToken } from './invalid-token.ts'
import type { Issuer } from './issuer.ts'
import { UnusableAnswer } from './unusable-answer.ts'
import { checkIssuedAt } from './verify.ts'

export interface SignInSettings extends ClaimsSettings {
  /** Where the provider leads people back to. */
  readonly redirectUri: string
  readonly scopes: readonly string[]
  /** Empty to leave it to the provider. */
  readonly prompt: string
  /** Authentication context classes, one of which a sign-in must have; empty for any. */
  readonly acrValues: readonly string[]
}

/** Authorization code flow with PKCE (OpenID Connect Core 1.0 §3.1, RFC 7636, RFC 9207). */
export function createSignIn(
  issuer: Issuer,
  settings: SignInSettings,
): Pick<IdentityProvider, 'authorizationRequest' | 'signIn'> {
  const { redirectUri, scopes, prompt, acrValues, audiences, groupsFrom, clock } = settings

  return {
    authorizationRequest: () =>
      issuer.ask(async ({ configuration, pageUrl }) => {
        const transaction = {
          state: randomState(),
          nonce: randomNonce(),
          codeVerifier: randomPKCECodeVerifier(),
        }
        const url = buildAuthorizationUrl(
          configuration,
          new URLSearchParams([
            ['redirect_uri', redirectUri],
            ['scope', scopes.join(' ')],
            ['state', transaction.state],
            ['nonce', transaction.nonce],
            ['code_challenge', await calculatePKCECodeChallenge(transaction.codeVerifier)],
            ['code_challenge_method', 'S256'],
            ...(prompt === '' ? [] : [['prompt', prompt] as [string, string]]),
            ...(acrValues.length === 0
              ? []
              : [['acr_values', acrValues.join(' ')] as [string, string]]),
            ...audiences.map((audience): [string, string] => ['audience', audience]),
          ]),
        )
        return { url: pageUrl(url), transaction }
      }),

    async signIn(callback, { state, nonce, codeVerifier }): Promise<Result<SignIn, SignInFailure>> {
      const answered = await issuer.ask(async (call): Promise<Result<SignIn, SignInFailure>> => {
        const { issuer: expected, authorization_response_iss_parameter_supported: isIssuerSent } =
          call.metadata
        const fault = callbackFault(callback, {
          issuer: expected,
          isIssuerSent: isIssuerSent === true,
          state,
        })
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
        const { id_token: idToken } = answer
        if (idToken === undefined) throw new UnusableAnswer('no_id_token')
        const { claims, expiresAt } = await verifyIdToken(call, idToken, settings)
        checkIssuedAt(claims, clock)
        if (acrValues.length > 0 && !acrValues.some((acr) => acr === claims['acr'])) {
          throw new InvalidToken('other_acr')
        }
        const fromUserInfo =
          groupsFrom === 'userinfo' ? await userInfo(call, answer.access_token, claims) : null
        const verified = { idToken, idTokenExpiresAt: expiresAt }
        return {
          ok: true,
          value: {
            principal: principalOf(claims, fromUserInfo, settings),
            sid: sidOf(claims),
            tokens: tokensOf(answer, verified, askedAt, null),
          },
        }
      }, signInFailure)
      return answered.ok ? answered.value : answered
    },
  }
}
