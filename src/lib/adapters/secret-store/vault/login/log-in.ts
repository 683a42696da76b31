import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { SecretStoreFailure } from '../../../../ports/secret-store.ts'
import type { Clock } from '../../../../ports/clock.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { type VaultClient, vaultPath } from '../api/client.ts'
import { LeaseSeconds } from './own-token.ts'
import type { StoreSession } from './lease.ts'
import { lacksKeys, type LoginSettings, refusalOf } from './refusal.ts'

export interface LoginRequest {
  readonly mount: string
  readonly settings: LoginSettings
  readonly refusedAs: 'secret_store_denied' | 'secret_store_unauthorized'
  readonly body: Readonly<Record<string, string>>
}

const LoginAnswer = Compile(
  Type.Object({
    auth: Type.Object({
      client_token: Type.String({ pattern: '^[\\x21-\\x7e]{1,8192}$' }),
      lease_duration: LeaseSeconds,
      renewable: Type.Boolean(),
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
  if (status >= 400 && lacksKeys(answer.value)) {
    const reason = 'the store does not get the keys of the identity provider'
    return err({ kind: 'secret_store_error', reason: `login at auth/${mount}: ${reason}` })
  }
  if (status >= 400) return refused(refusalOf(answer.value, settings))
  if (SecondFactorAnswer.Check(json)) return refused('the store demands a second factor of it')
  if (!LoginAnswer.Check(json)) {
    return err({ kind: 'secret_store_error', reason: `login at auth/${mount}: no usable token` })
  }
  const { client_token: token, lease_duration: seconds, renewable, num_uses: uses = 0 } = json.auth
  if (uses !== 0) return refused('the role limits the uses of its tokens (token_num_uses)')
  const lease = { seconds: seconds === 0 ? null : seconds, isRenewable: renewable }
  return ok({ token, lease, startedAt })
}
