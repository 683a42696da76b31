import { genericGrantRequest } from 'openid-client'
import type { IdentityProvider } from '../../../ports/identity.ts'
import type { Issuer } from './issuer.ts'
import { UnusableAnswer } from './unusable-answer.ts'

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

/**
 * Token exchange (RFC 8693). An API server accepts any JWT of the issuer for its audience. Requests an access token: providers issue
 * ID tokens for the requesting client only, and most do not know the type `jwt`.
 */
export const createExchange = (issuer: Issuer): Pick<IdentityProvider, 'exchange'> => ({
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
