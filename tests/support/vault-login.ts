import { join } from 'node:path'
import { makeAppRole } from '#tests/peers/openbao-logins.ts'
import type { OpenBao } from '#tests/peers/openbao.ts'

const POLICY = join(import.meta.dir, '../../deploy/vault/portico.hcl')

/** A login with AppRole: the settings besides `VAULT_ADDR`. */
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
  const role = { token_policies: ['portico'], token_no_default_policy: true }
  const { roleId, makeSecretId } = await makeAppRole(openbao, role)
  const secretId = await makeSecretId()
  return {
    settings: {
      SECRET_STORE: 'vault',
      VAULT_AUTH: 'approle',
      VAULT_ROLE_ID: roleId,
      VAULT_SECRET_ID: secretId,
      ...(prefix !== '' && { VAULT_PREFIX: prefix }),
    },
    secretId,
  }
}
