import { join } from 'node:path'
import type { OpenBao } from '#tests/peers/openbao.ts'

const POLICY = join(import.meta.dir, '../../deploy/vault/portico.hcl')

/** What a login with AppRole needs, besides `VAULT_ADDR`. */
export interface VaultLogin {
  readonly settings: Readonly<Record<string, string>>
  readonly secretId: string
}

/** Lets the portal into a store with AppRole and the rights that `deploy/vault` gives it. Below a prefix, if there is one. */
export async function letPorticoIn(
  openbao: Pick<OpenBao, 'must' | 'policy'>,
  prefix = '',
): Promise<VaultLogin> {
  const policy = await Bun.file(POLICY).text()
  await openbao.policy('portico', policy.replaceAll('/+/+/+/env"', `/${prefix}+/+/+/env"`))
  await openbao.must('POST', 'sys/auth/approle', { type: 'approle' })
  const role = 'auth/approle/role/portico'
  await openbao.must('POST', role, { token_policies: ['portico'], token_no_default_policy: true })
  const { data: named } = (await openbao.must('GET', `${role}/role-id`)) as {
    data: { role_id: string }
  }
  const { data: made } = (await openbao.must('POST', `${role}/secret-id`)) as {
    data: { secret_id: string }
  }
  return {
    settings: {
      SECRET_STORE: 'vault',
      VAULT_AUTH: 'approle',
      VAULT_ROLE_ID: named.role_id,
      VAULT_SECRET_ID: made.secret_id,
      ...(prefix !== '' && { VAULT_PREFIX: prefix }),
    },
    secretId: made.secret_id,
  }
}
