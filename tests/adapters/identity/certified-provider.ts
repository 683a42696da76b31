import { exportJWK, generateKeyPair } from 'jose'
import type { Context, Provider } from 'oidc-provider'

const HOUR_SECONDS = 3_600
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

export const CLIENT = { id: 'portico', secret: 'client-secret' }
export const ada = { sub: 'ada', name: 'Ada', email: 'ada@example.org', groups: ['payments'] }

/** Certified by the OpenID Foundation. Refresh tokens are used once; tokens can be exchanged for those of any audience. */
export const createProvider = (issuer: string): Promise<Provider> => quietly(() => create(issuer))

async function create(issuer: string): Promise<Provider> {
  const { Provider } = await import('oidc-provider')
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'k1', alg: 'ES256', use: 'sig' }] },
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: ['http://127.0.0.1/callback'],
        grant_types: ['authorization_code', 'refresh_token', EXCHANGE],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    claims: { openid: ['sub'], profile: ['name'], email: ['email'], groups: ['groups'] },
    conformIdTokenClaims: false,
    rotateRefreshToken: true,
    ttl: {
      AccessToken: HOUR_SECONDS,
      IdToken: HOUR_SECONDS,
      RefreshToken: 10 * HOUR_SECONDS,
      Grant: 24 * HOUR_SECONDS,
    },
    features: { devInteractions: { enabled: false }, resourceIndicators: { enabled: true } },
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ada }),
  })
  registerExchange(provider)
  return provider
}

/** RFC 8693, which the package leaves to those who use it. */
function registerExchange(provider: Provider) {
  const parameters = ['subject_token', 'subject_token_type', 'requested_token_type', 'audience']
  async function exchange(context: Context) {
    const { params, client } = context.oidc
    const subject = await provider.AccessToken.find(params['subject_token'])
    const { audience = '' } = params
    if (subject === undefined) {
      context.status = 400
      context.body = { error: 'invalid_grant' }
      return
    }
    const { accountId, grantId } = subject
    const expiresIn = HOUR_SECONDS / 2
    const token = new provider.AccessToken({ accountId, grantId, client, scope: '', expiresIn })
    token.resourceServer = new provider.ResourceServer(audience, {
      audience,
      scope: '',
      accessTokenFormat: 'jwt',
      jwt: { sign: { alg: 'ES256' } },
    })
    context.oidc.entity('AccessToken', token)
    context.body = {
      access_token: await token.save(),
      issued_token_type: params['requested_token_type'],
      token_type: 'Bearer',
      expires_in: expiresIn,
    }
  }
  provider.registerGrantType(EXCHANGE, exchange, parameters)
}

/** It says that it was made for Node.js and keeps what it knows in memory. Both are as they should be here. */
async function quietly<Value>(work: () => Promise<Value>): Promise<Value> {
  const { warn } = console
  console.warn = () => {}
  try {
    return await work()
  } finally {
    console.warn = warn
  }
}
