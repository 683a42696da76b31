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
    const { clock, log, environments } = means
    const service = serviceLogin(values, readText)
    if (!service.ok) return service
    const path = values.VAULT_CA_FILE
    const authority =
      path === null ? ok(null) : readAuthorityFile('VAULT_CA_FILE', path, readText, clock.now())
    if (!authority.ok) return authority

    const [
      { createVaultClient },
      { createVaultCalls },
      { createVaultCheck },
      { createVaultStore },
    ] = await Promise.all([
      import('./api/create-client.ts'),
      import('./login/calls.ts'),
      import('./check/check.ts'),
      import('./index.ts'),
    ])
    const client = createVaultClient({
      addresses: values.VAULT_ADDR,
      namespace: values.VAULT_NAMESPACE,
      authority: authority.value,
      log,
    })
    const persons = personLogin(values)
    const calls = createVaultCalls({ client, service: service.value, persons, clock, log })
    const place = { calls, mount: values.VAULT_MOUNT, prefix: values.VAULT_PREFIX }
    const check = createVaultCheck({ client, ...place, environments, persons })
    return ok(createVaultStore({ ...place, knowsPersons: persons !== null, check }))
  },
})
