import { err, ok, type Result } from '../../../../result.ts'
import { type Credential, readCredential } from '../../../../settings/credential.ts'
import type { LoginRequest } from './log-in.ts'

/** How the service proves itself to the store: by a token that it was given, or at an auth method that issues tokens. */
export type ServiceLogin = { readonly kind: 'token'; readonly token: Credential } | MethodLogin

export type MethodLogin =
  | {
      readonly kind: 'approle'
      readonly mount: string
      readonly roleId: string
      readonly secretId: Credential
    }
  | {
      readonly kind: 'kubernetes' | 'jwt'
      readonly mount: string
      readonly role: string
      readonly jwt: Credential
    }

/** How persons prove themselves: by their ID token, at an auth method of the type `jwt`. */
export interface PersonLogin {
  readonly mount: string
  readonly role: string
}

const SERVICE_SETTINGS = { mount: 'VAULT_AUTH_MOUNT', role: 'VAULT_ROLE', jwt: 'VAULT_JWT_FILE' }
const PERSON_SETTINGS = {
  mount: 'VAULT_USER_MOUNT',
  role: 'VAULT_USER_ROLE',
  jwt: 'the ID token of the person',
}

/** The request of a login, with the credential as it is now. The failure is a phrase for the operator. */
export function serviceRequest(login: MethodLogin): Result<LoginRequest, string> {
  const { mount } = login
  const known = { mount, settings: SERVICE_SETTINGS, refusedAs: 'secret_store_denied' } as const
  const credential = readCredential(login.kind === 'approle' ? login.secretId : login.jwt)
  if (!credential.ok) return err(`login at auth/${mount}: ${credential.error}`)
  return login.kind === 'approle'
    ? ok({ ...known, body: { role_id: login.roleId, secret_id: credential.value } })
    : ok({ ...known, body: { role: login.role, jwt: credential.value } })
}

export const personRequest = ({ mount, role }: PersonLogin, idToken: string): LoginRequest => ({
  mount,
  settings: PERSON_SETTINGS,
  refusedAs: 'secret_store_unauthorized',
  body: { role, jwt: idToken },
})
