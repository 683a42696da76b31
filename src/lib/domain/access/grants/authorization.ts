import { err, ok, type Result } from '../../../result.ts'
import { type ClientFailure, type GrantClient, isRedirectUri } from './clients.ts'
import { parseScopes, type Scope } from './scope.ts'

/** A program's request for a grant, checked (RFC 6749 §4.1.1 with PKCE S256 and RFC 8707). */
export interface Authorization {
  readonly client: GrantClient
  readonly redirectUri: string
  readonly scopes: readonly Scope[]
  readonly state: string | null
  readonly codeChallenge: string
  readonly resource: string
}

export type AuthorizationFailure =
  | ClientFailure
  /** Nothing may be sent to an address that is not proven to be the client's. */
  | { readonly kind: 'redirect_uri_invalid' }
  | { readonly kind: 'authorization_repeated_parameter' }
  /** For the client. */
  | {
      readonly kind: 'authorization_invalid'
      readonly error: OAuthError
      readonly redirectUri: string
      readonly state: string | null
    }

/** RFC 6749 §4.1.2.1 and §5.2, RFC 8707 §2. */
export type OAuthError =
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'server_error'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'

const DEFAULT_SCOPES = 'catalog:read clusters:read'
/** SHA-256 in base64url. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
const STATE_MAX_CHARACTERS = 500

export async function readAuthorization(
  query: URLSearchParams,
  findClient: (id: string) => Promise<Result<GrantClient, ClientFailure>>,
  resources: readonly string[],
): Promise<Result<Authorization, AuthorizationFailure>> {
  if (hasRepeated(query)) return err({ kind: 'authorization_repeated_parameter' })
  const found = await findClient(query.get('client_id') ?? '')
  if (!found.ok) return found
  const client = found.value
  const redirectUri = query.get('redirect_uri') ?? ''
  if (!isRedirectUri(redirectUri, client.redirectUris)) return err({ kind: 'redirect_uri_invalid' })

  const state = query.get('state')
  const refuse = (error: OAuthError) =>
    err({ kind: 'authorization_invalid', error, redirectUri, state } as const)
  if (query.get('response_type') !== 'code') return refuse('unsupported_response_type')
  const codeChallenge = query.get('code_challenge') ?? ''
  if (query.get('code_challenge_method') !== 'S256' || !CHALLENGE.test(codeChallenge)) {
    return refuse('invalid_request')
  }
  if ((state ?? '').length > STATE_MAX_CHARACTERS) return refuse('invalid_request')
  const resource = query.get('resource') ?? ''
  if (!resources.includes(resource)) return refuse('invalid_target')
  const scopes = parseScopes(query.get('scope') ?? DEFAULT_SCOPES)
  if (scopes === undefined || scopes.length === 0) return refuse('invalid_scope')
  return ok({ client, redirectUri, scopes, state, codeChallenge, resource })
}

export const hasRepeated = (query: URLSearchParams): boolean =>
  new Set(query.keys()).size < query.size
