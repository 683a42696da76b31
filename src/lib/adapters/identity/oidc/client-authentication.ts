import { importPKCS8 } from 'jose'
import {
  type ClientAuth,
  ClientSecretPost,
  None,
  PrivateKeyJwt,
  type ServerMetadata,
} from 'openid-client'
import type { ClientKey } from './client-key.ts'
import { UnusableAnswer } from './failure.ts'

export type ClientAuthentication =
  'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none'

export interface ClientSettings {
  readonly clientAuthentication: ClientAuthentication | 'auto'
  /** Empty without one. */
  readonly clientSecret: string
  readonly clientKey: ClientKey | null
  /** Empty without one. */
  readonly clientKeyId: string
}

/** `client_secret_basic` is the default (OpenID Connect Discovery 1.0 §3). */
export function authenticationMethod(
  { clientAuthentication, clientSecret, clientKey }: ClientSettings,
  { token_endpoint_auth_methods_supported: offered = ['client_secret_basic'] }: ServerMetadata,
): ClientAuthentication {
  if (clientAuthentication !== 'auto') return clientAuthentication
  if (clientKey !== null) return 'private_key_jwt'
  if (clientSecret === '') return 'none'
  const isPostOnly = !offered.includes('client_secret_basic')
  return isPostOnly ? 'client_secret_post' : 'client_secret_basic'
}

export async function authenticationOf(
  client: ClientSettings,
  metadata: ServerMetadata,
): Promise<ClientAuth> {
  switch (authenticationMethod(client, metadata)) {
    case 'client_secret_basic':
      return secretInHeader(client.clientSecret)
    case 'client_secret_post':
      return ClientSecretPost(client.clientSecret)
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
  { clientKey, clientKeyId }: ClientSettings,
  { token_endpoint_auth_signing_alg_values_supported: offered }: ServerMetadata,
): Promise<ClientAuth> {
  const algorithm = clientKey?.algorithms.find((one) => offered?.includes(one) ?? true)
  if (clientKey === null || algorithm === undefined) throw new UnusableAnswer('no_common_algorithm')
  const key = await importPKCS8(clientKey.pem, algorithm)
  return PrivateKeyJwt(clientKeyId === '' ? key : { key, kid: clientKeyId })
}
