import { importPKCS8 } from 'jose'
import {
  type ClientAuth,
  ClientSecretPost,
  None,
  PrivateKeyJwt,
  type ServerMetadata,
} from 'openid-client'
import type { OidcValues } from '../oidc-kind.ts'
import { UnusableAnswer } from './failure.ts'

export type ClientSettings = Pick<
  OidcValues,
  'OIDC_CLIENT_AUTH' | 'OIDC_CLIENT_SECRET' | 'OIDC_CLIENT_KEY' | 'OIDC_CLIENT_KEY_ID'
>

type ClientAuthentication = Exclude<OidcValues['OIDC_CLIENT_AUTH'], 'auto'>

/** `client_secret_basic` is the default (OpenID Connect Discovery 1.0 §3). */
export function authenticationMethod(
  { OIDC_CLIENT_AUTH: given, OIDC_CLIENT_SECRET: secret, OIDC_CLIENT_KEY: key }: ClientSettings,
  { token_endpoint_auth_methods_supported: offered = ['client_secret_basic'] }: ServerMetadata,
): ClientAuthentication {
  if (given !== 'auto') return given
  if (key !== null) return 'private_key_jwt'
  if (secret === '') return 'none'
  const isPostOnly = !offered.includes('client_secret_basic')
  return isPostOnly ? 'client_secret_post' : 'client_secret_basic'
}

export async function authenticationOf(
  client: ClientSettings,
  metadata: ServerMetadata,
): Promise<ClientAuth> {
  switch (authenticationMethod(client, metadata)) {
    case 'client_secret_basic':
      return secretInHeader(client.OIDC_CLIENT_SECRET)
    case 'client_secret_post':
      return ClientSecretPost(client.OIDC_CLIENT_SECRET)
    case 'private_key_jwt':
      return await signedBy(client, metadata)
    case 'none':
      return None()
  }
}

/**
 * `client_secret_basic` (RFC 6749 §2.3.1). The library escapes `-`, `.`, `_` and `~` too, although form encoding need not. Authentik and
 * GitLab decode nothing, so that a secret such as `gloas-…` would be another one for them; providers that decode read both alike.
 */
const secretInHeader =
  (secret: string): ClientAuth =>
  (_, { client_id: id }, __, headers) =>
    headers.set('authorization', `Basic ${btoa(`${formEncoded(id)}:${formEncoded(secret)}`)}`)

const formEncoded = (text: string): string => encodeURIComponent(text).replaceAll('%20', '+')

async function signedBy(
  { OIDC_CLIENT_KEY: clientKey, OIDC_CLIENT_KEY_ID: clientKeyId }: ClientSettings,
  { token_endpoint_auth_signing_alg_values_supported: offered }: ServerMetadata,
): Promise<ClientAuth> {
  const algorithm = clientKey?.algorithms.find((one) => offered?.includes(one) ?? true)
  if (clientKey === null || algorithm === undefined) throw new UnusableAnswer('no_common_algorithm')
  const key = await importPKCS8(clientKey.pem, algorithm)
  return PrivateKeyJwt(clientKeyId === '' ? key : { key, kid: clientKeyId })
}
