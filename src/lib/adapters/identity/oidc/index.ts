import { genericGrantRequest, refreshTokenGrant } from 'openid-client'
import type { IdentityProvider } from '../../../ports/identity.ts'
import type { ClaimPath } from './groups.ts'
import { createIssuer, type IssuerSettings } from './issuer.ts'
import { principalOf } from './principal.ts'
import { UnusableAnswer } from './unusable-answer.ts'
import { timeOf } from './verify.ts'

export interface OidcSettings extends Omit<IssuerSettings, 'deadlineMs'> {
  readonly groupsClaim: ClaimPath
  readonly deadlineMs?: number
}

const DEADLINE_MS = 5_000
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

/** An OpenID Connect provider. Verifies the signatures of its tokens, although they come over TLS. */
export function createOidcIdentityProvider({
  groupsClaim,
  deadlineMs = DEADLINE_MS,
  ...settings
}: OidcSettings): IdentityProvider {
  const { clientId, clock } = settings
  const issuer = createIssuer({ ...settings, deadlineMs })

  return {
    refresh: (refreshToken) =>
      issuer.ask(async ({ configuration, verify }) => {
        const askedAt = clock.now()
        const answer = await refreshTokenGrant(configuration, refreshToken)
        const { id_token: idToken, expires_in: seconds } = answer
        // Only the ID token has the person's current name and groups.
        if (idToken === undefined) throw new UnusableAnswer('no_id_token')
        const { claims, expiresAt: idTokenExpiresAt } = await verify(idToken, clientId)
        return {
          principal: principalOf(claims, groupsClaim),
          tokens: {
            idToken,
            idTokenExpiresAt,
            accessToken: answer.access_token,
            refreshToken: answer.refresh_token ?? refreshToken,
            expiresAt: seconds === undefined ? idTokenExpiresAt : timeOf(askedAt + seconds * 1000),
          },
        }
      }),

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
  }
}
