import { tokenRevocation, genericGrantRequest } from 'openid-client'
import type { IdentityProvider } from '../../../ports/identity.ts'
import type { OidcSettings } from './settings.ts'
import { createCheck } from './check.ts'
import { createIssuer, type Issuer } from './issuer.ts'
import { createLogout } from './logout.ts'
import { createRenewal } from './renewal.ts'
import { createSignIn } from './sign-in.ts'
import { UnusableAnswer } from './failure.ts'

export { watchOidcFiles } from './files.ts'
export type { OidcSettings }

const DEADLINE_MS = 5_000
const CALLBACK_PATH = '/api/v1/auth/callback'

/** An OpenID Connect provider. Verifies the signatures of its tokens, although they come over TLS. */
export function createOidcIdentityProvider(settings: OidcSettings): IdentityProvider {
  const { files, publicUrl, clock, deadlineMs = DEADLINE_MS } = settings
  const redirectUri = new URL(CALLBACK_PATH, publicUrl).href
  const postLogoutUri = new URL('/', publicUrl).href
  const issuer = createIssuer(settings, clock, () => files().authorities, deadlineMs)

  return {
    ...createSignIn(issuer, settings, redirectUri),
    ...createRenewal(issuer, settings),
    ...createExchange(issuer),
    ...createLogout(issuer, settings.OIDC_CLIENT_ID, postLogoutUri, clock),
    ...createCheck(issuer, settings, redirectUri),
    revoke: (refreshToken) =>
      issuer.ask(async ({ metadata, configuration }) => {
        if (metadata.revocation_endpoint === undefined) return
        await tokenRevocation(configuration, refreshToken, { token_type_hint: 'refresh_token' })
      }),
  }
}

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

/**
 * Token exchange (RFC 8693). An API server accepts any JWT of the issuer for its audience. Requests an access token: providers issue
 * ID tokens for the requesting client only, and most do not know the type `jwt`.
 */
const createExchange = (issuer: Issuer): Pick<IdentityProvider, 'exchange'> => ({
  exchange: (accessToken, audience) =>
    issuer.ask(async ({ configuration, verifyFrom }) => {
      const { access_token: token } = await genericGrantRequest(configuration, TOKEN_EXCHANGE, {
        subject_token: accessToken,
        subject_token_type: ACCESS_TOKEN,
        requested_token_type: ACCESS_TOKEN,
        audience,
      })
      const { claims, expiresAt } = await verifyFrom('issuer')(token, audience)
      const isForOthers = [claims.aud].flat().some((other) => other !== audience)
      if (isForOthers) throw new UnusableAnswer('other_audiences')
      return { token, expiresAt }
    }),
})
