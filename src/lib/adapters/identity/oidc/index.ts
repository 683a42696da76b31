import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  calculatePKCECodeChallenge,
  genericGrantRequest,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
  type TokenEndpointResponse,
  tokenRevocation,
} from 'openid-client'
import type { IdentityProvider, SignIn } from '../../../ports/identity.ts'
import { err } from '../../../result.ts'
import type { ClaimPath } from './groups.ts'
import { createIssuer, type IssuerCall, type IssuerSettings } from './issuer.ts'
import { principalOf } from './principal.ts'
import { UnusableAnswer } from './unusable-answer.ts'
import { timeOf } from './verify.ts'

export interface OidcSettings extends Omit<IssuerSettings, 'deadlineMs'> {
  readonly groupsClaim: ClaimPath
  /** The portal's own URL, where the provider leads people back to. */
  readonly publicUrl: URL
  readonly deadlineMs?: number
}

const DEADLINE_MS = 5_000
const CALLBACK_PATH = '/api/v1/auth/callback'
const SCOPE = 'openid profile email'
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

/** An OpenID Connect provider. Verifies the signatures of its tokens, although they come over TLS. */
export function createOidcIdentityProvider({
  groupsClaim,
  publicUrl,
  deadlineMs = DEADLINE_MS,
  ...settings
}: OidcSettings): IdentityProvider {
  const { clientId, clock } = settings
  const issuer = createIssuer({ ...settings, deadlineMs })

  const redirectUri = new URL(CALLBACK_PATH, publicUrl)

  async function signInOf(
    { verify }: IssuerCall,
    answer: TokenEndpointResponse,
    askedAt: number,
    previousRefreshToken: string | null,
  ): Promise<SignIn> {
    const { id_token: idToken, expires_in: seconds } = answer
    // Only the ID token has the person's current name and groups.
    if (idToken === undefined) throw new UnusableAnswer('no_id_token')
    const { claims, expiresAt: idTokenExpiresAt } = await verify(idToken, clientId)
    const { sid } = claims
    return {
      principal: principalOf(claims, groupsClaim),
      sid: typeof sid === 'string' ? sid : null,
      tokens: {
        idToken,
        idTokenExpiresAt,
        accessToken: answer.access_token,
        refreshToken: answer.refresh_token ?? previousRefreshToken,
        expiresAt: seconds === undefined ? idTokenExpiresAt : timeOf(askedAt + seconds * 1000),
      },
    }
  }

  return {
    authorizationRequest: () =>
      issuer.ask(async ({ configuration }) => {
        const state = randomState()
        const nonce = randomNonce()
        const codeVerifier = randomPKCECodeVerifier()
        const url = buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri.href,
          scope: SCOPE,
          state,
          nonce,
          code_challenge: await calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: 'S256',
        })
        return { url: url.href, transaction: { state, nonce, codeVerifier } }
      }),

    async signIn(callback, { state, nonce, codeVerifier }) {
      const signedIn = await issuer.ask(async (call) => {
        const askedAt = clock.now()
        const url = new URL(`?${callback.toString()}`, redirectUri)
        const answer = await authorizationCodeGrant(call.configuration, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        })
        return await signInOf(call, answer, askedAt, null)
      })
      return signedIn.ok || signedIn.error.kind !== 'identity_rejected'
        ? signedIn
        : err({ kind: 'sign_in_expired' })
    },

    async renew({ refreshToken }) {
      if (refreshToken === null) return err({ kind: 'identity_not_renewable' })
      return await issuer.ask(async (call) => {
        const askedAt = clock.now()
        const answer = await refreshTokenGrant(call.configuration, refreshToken)
        return await signInOf(call, answer, askedAt, refreshToken)
      })
    },

    /**
     * An API server accepts any JWT of the issuer for its audience. Requests an access token: providers issue ID tokens for the
     * requesting client only, and most do not know the type `jwt`.
     */
    exchange: (accessToken, audience) =>
      issuer.ask(async ({ configuration, verify }) => {
        const { access_token: token } = await genericGrantRequest(configuration, TOKEN_EXCHANGE, {
          subject_token: accessToken,
          subject_token_type: ACCESS_TOKEN,
          requested_token_type: ACCESS_TOKEN,
          audience,
        })
        const { claims, expiresAt } = await verify(token, audience)
        const isForOthers = [claims.aud].flat().some((other) => other !== audience)
        if (isForOthers) throw new UnusableAnswer('other_audiences')
        return { token, expiresAt }
      }),

    logoutUrl: (idToken) =>
      issuer.ask(async ({ configuration }) => {
        if (configuration.serverMetadata().end_session_endpoint === undefined) return null
        return buildEndSessionUrl(configuration, {
          id_token_hint: idToken,
          post_logout_redirect_uri: new URL('/', publicUrl).href,
        }).href
      }),

    readLogoutToken: () =>
      Promise.resolve(err({ kind: 'logout_token_invalid', reason: 'not_supported' })),

    revoke: (refreshToken) =>
      issuer.ask(async ({ configuration }) => {
        if (configuration.serverMetadata().revocation_endpoint === undefined) return
        await tokenRevocation(configuration, refreshToken)
      }),

    check: () => Promise.resolve([]),
  }
}
