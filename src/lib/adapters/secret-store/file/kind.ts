import type { SecretStore } from '../../../ports/secret-store.ts'
import { ok, type Result } from '../../../result.ts'
import { adapterKind } from '../../../settings/adapter-kind.ts'
import { keys } from '../../../settings/parsers.ts'
import { setting } from '../../../settings/setting.ts'
import type { SecretStoreMeans } from '../means.ts'

export const fileSettings = {
  SECRET_STORE_KEYS: setting({
    description:
      'Keys that seal the secrets of applications, as id:base64 of 32 bytes; the first seals, all open. Losing one loses what it sealed',
    example: 's2:…,s1:…   (openssl rand -base64 32)',
    secret: true,
    production: true,
    parse: keys,
  }),
}

/** Sealed rows of the database. */
export const file = adapterKind({
  settings: fileSettings,
  async open(
    { SECRET_STORE_KEYS: keyring },
    { secretVersions: versions }: SecretStoreMeans,
  ): Promise<Result<SecretStore, string>> {
    const { createFileSecretStore } = await import('./index.ts')
    return ok(createFileSecretStore({ versions, keyring }))
  },
})
