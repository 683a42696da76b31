import type { SecretStore } from '../../../ports/secret-store.ts'
import { ok, type Result } from '../../../result.ts'
import { adapterKind } from '../../../settings/adapter-kind.ts'
import { readAuthorityFile } from '../../../settings/authority-file.ts'
import { readText } from '../../../settings/watched-files.ts'
import type { SecretStoreMeans } from '../means.ts'
import { loginMistakes, personLogin, serviceLogin } from './login-settings.ts'
import { vaultSettings } from './settings.ts'

/** Vault and OpenBao. */
export const vault = adapterKind({
  settings: vaultSettings,
  mistakes: loginMistakes,
  async open(values, means: SecretStoreMeans): Promise<Result<SecretStore, string>> {
    const service = serviceLogin(values, readText)
    if (!service.ok) return service
    const path = values.VAULT_CA_FILE
    const authority =
      path === null
        ? ok(null)
        : readAuthorityFile('VAULT_CA_FILE', path, readText, means.clock.now())
    if (!authority.ok) return authority

    const { createVaultStore } = await import('./index.ts')
    return ok(
      createVaultStore({
        address: values.VAULT_ADDR,
        namespace: values.VAULT_NAMESPACE,
        authority: authority.value,
        service: service.value,
        persons: personLogin(values),
        mount: values.VAULT_MOUNT,
        prefix: values.VAULT_PREFIX,
        ...means,
      }),
    )
  },
})
