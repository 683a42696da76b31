import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { SecretStoreFailure } from '../../../../ports/secret-store.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { Nullable } from '../../../../schema/nullable.ts'
import type { VaultAnswer, VaultClient } from '../api/client.ts'
import type { Lease } from './lease.ts'

/** Up to a hundred years: beyond, sums of times lose their meaning. */
export const LeaseSeconds = Type.Integer({ minimum: 0, maximum: 100 * 366 * 86_400 })

const LookUpAnswer = Compile(
  Type.Object({
    data: Type.Object({
      ttl: LeaseSeconds,
      expire_time: Nullable(Type.String()),
      renewable: Type.Optional(Type.Boolean()),
    }),
  }),
)

/** The lease of the token. `null`: the store refuses the token, or its policies do not allow the look, or the namespace is missing. */
export async function lookUpSelf(
  client: VaultClient,
  token: string,
): Promise<Result<Lease | null, SecretStoreFailure>> {
  const path = 'auth/token/lookup-self'
  const answer = await client.send({ method: 'GET', path, token, repeatable: true })
  if (!answer.ok) return answer
  const { status, json } = answer.value
  if (status >= 400) return ok(null)
  if (status !== 200 || !LookUpAnswer.Check(json)) return unexpected(answer.value, path)
  const { ttl, expire_time: end, renewable = false } = json.data
  return ok({ seconds: end === null ? null : ttl, isRenewable: renewable })
}

const RenewalAnswer = Compile(
  Type.Object({
    auth: Type.Object({ lease_duration: LeaseSeconds, renewable: Type.Boolean() }),
    warnings: Type.Optional(Nullable(Type.Array(Type.String()))),
  }),
)

export interface Renewal {
  readonly lease: Lease
  /** The store says in a warning that it grants less than the role asks for: further renewals will be shorter still. */
  readonly isCapped: boolean
}

const CAPPED = /\b(?:max_)?ttl\b|\bcapped\b/i

/** Renews the token by the period of its role. `null`: the store does not renew it. */
export async function renewSelf(
  client: VaultClient,
  token: string,
): Promise<Result<Renewal | null, SecretStoreFailure>> {
  const path = 'auth/token/renew-self'
  const answer = await client.send({ method: 'POST', path, body: {}, token, repeatable: true })
  if (!answer.ok) return answer
  const { status, json } = answer.value
  if (status >= 400) return ok(null)
  if (status !== 200 || !RenewalAnswer.Check(json)) return unexpected(answer.value, path)
  const { lease_duration: seconds, renewable } = json.auth
  if (seconds === 0) return ok(null)
  return ok({
    lease: { seconds, isRenewable: renewable },
    isCapped: (json.warnings ?? []).some((warning) => CAPPED.test(warning)),
  })
}

/** Gives the token back. It ends by itself when that fails. */
export const revokeSelf = (client: VaultClient, token: string) =>
  client.send({ method: 'POST', path: 'auth/token/revoke-self', body: {}, token, repeatable: true })

const unexpected = ({ status }: VaultAnswer, path: string) =>
  err({
    kind: 'secret_store_error',
    reason: `${path} was answered with ${status}, not as documented`,
  } as const)
