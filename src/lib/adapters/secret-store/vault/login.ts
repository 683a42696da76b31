import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Clock } from '../../../ports/clock.ts'
import type { SecretStoreFailure } from '../../../ports/secret-store.ts'
import { err, ok, type Result } from '../../../result.ts'
import { type Credential, readCredential } from '../../../settings/credential.ts'
import { type VaultClient, vaultPath } from './client.ts'
import { lacksKeys, type LoginSettings, refusalOf } from './login-refusal.ts'

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

export interface LoginRequest {
  readonly mount: string
  readonly settings: LoginSettings
  readonly refusedAs: 'secret_store_denied' | 'secret_store_unauthorized'
  readonly body: Readonly<Record<string, string>>
}

export interface StoreSession {
  readonly token: string
  /** When the store was asked, by the clock of this machine. */
  readonly startedAt: number
  readonly usedMs: number
}

const SERVICE_SETTINGS = { mount: 'VAULT_AUTH_MOUNT', role: 'VAULT_ROLE', jwt: 'VAULT_JWT_FILE' }
const PERSON_SETTINGS = {
  mount: 'VAULT_USER_MOUNT',
  role: 'VAULT_USER_ROLE',
  jwt: 'the ID token of the person',
}

/** The request of a login, with the credential as it is now. */
export function serviceRequest(login: MethodLogin): Result<LoginRequest, SecretStoreFailure> {
  const { mount } = login
  const known = { mount, settings: SERVICE_SETTINGS, refusedAs: 'secret_store_denied' } as const
  const credential = readCredential(login.kind === 'approle' ? login.secretId : login.jwt)
  if (!credential.ok) {
    const what = `login at auth/${mount}: ${credential.error}`
    return err({ kind: 'secret_store_denied', what })
  }
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

/** Part of a lease in which its token is used; afterwards a request could arrive too late. */
const USED_PART = 0.9

/** Whether the token may be used for another request. After the clock was set back, one new login tells the time of the start. */
export const isUsable = ({ startedAt, usedMs }: StoreSession, now: number): boolean =>
  now >= startedAt && now - startedAt < usedMs

const LoginAnswer = Compile(
  Type.Object({
    auth: Type.Object({
      client_token: Type.String({ pattern: '^[\\x21-\\x7e]{1,8192}$' }),
      /** Seconds, up to a hundred years: beyond, sums of times lose their meaning. 0: without end. */
      lease_duration: Type.Integer({ minimum: 0, maximum: 100 * 366 * 86_400 }),
      num_uses: Type.Optional(Type.Integer()),
    }),
  }),
)

/** Not a token, but the request for another proof of the same login. */
const SecondFactorAnswer = Compile(
  Type.Object({ auth: Type.Object({ mfa_requirement: Type.Object({}) }) }),
)

/** Asks an auth method for a token. */
export async function logIn(
  client: VaultClient,
  { mount, settings, refusedAs, body }: LoginRequest,
  clock: Clock,
): Promise<Result<StoreSession, SecretStoreFailure>> {
  const startedAt = clock.now()
  const path = vaultPath`auth/${mount}/login`
  const answer = await client.send({ method: 'POST', path, body, token: null, repeatable: true })
  if (!answer.ok) return answer
  const { status, json } = answer.value
  const refused = (reason: string) =>
    err({ kind: refusedAs, what: `login at auth/${mount}: ${reason}` })
  const failed = (reason: string) =>
    err({ kind: 'secret_store_error', reason: `login at auth/${mount}: ${reason}` } as const)
  if (status >= 400 && lacksKeys(answer.value)) {
    return failed('the store does not get the keys of the identity provider')
  }
  if (status >= 400) return refused(refusalOf(answer.value, settings))
  if (SecondFactorAnswer.Check(json)) return refused('the store demands a second factor of it')
  if (!LoginAnswer.Check(json)) return failed('no usable token')
  const { client_token: token, lease_duration: seconds, num_uses: uses = 0 } = json.auth
  if (uses !== 0) return refused('the role limits the uses of its tokens (token_num_uses)')
  const usedMs = seconds === 0 ? Number.POSITIVE_INFINITY : seconds * 1_000 * USED_PART
  return ok({ token, startedAt, usedMs })
}

/**
 * After refused logins in a row. The store locks an AppRole for everybody at the fifth one, and forgets them after 15 minutes without
 * one, so that the last pause is longer. The second login follows at once: the first refusal may have been a passing one.
 */
const PAUSES_MS = [0, 60_000, 4 * 60_000]
const LAST_PAUSE_MS = 16 * 60_000

/** Makes a refused login wait before it is tried again. Another credential, such as a new secret id, is a login of its own. */
export function createLoginPauses(clock: Clock) {
  const none = { body: '', failure: null as SecretStoreFailure | null, at: 0, count: 0 }
  let last = none

  return async function patiently(
    { body }: LoginRequest,
    login: () => Promise<Result<StoreSession, SecretStoreFailure>>,
  ): Promise<Result<StoreSession, SecretStoreFailure>> {
    const text = JSON.stringify(body)
    const { failure, at, count } = last.body === text ? last : none
    const pauseMs = PAUSES_MS[count - 1] ?? LAST_PAUSE_MS
    if (failure !== null && Math.abs(clock.now() - at) < pauseMs) return err(failure)
    const outcome = await login()
    if (outcome.ok) last = none
    else if (outcome.error.kind === 'secret_store_denied') {
      last = { body: text, failure: outcome.error, at: clock.now(), count: count + 1 }
    }
    return outcome
  }
}
