import { join } from 'node:path'
import { createFileSecretStore } from '#src/lib/adapters/secret-store/file/index.ts'
import { secretStores } from '#src/lib/adapters/secret-store/index.ts'
import { systemClock as clock } from '#src/lib/ports/clock.ts'
import type { Database } from '#src/lib/ports/database.ts'
import type { SecretStore } from '#src/lib/ports/secret-store.ts'
import { KEY_1, keyringOf } from '#tests/support/fixed-keyring.ts'
import { withOrigins } from '#tests/support/kept-origins.ts'
import { valueOf } from '#tests/support/value-of.ts'

const silent = { info: () => {}, warn: () => {}, error: () => {} }

/** The secret store of a process: the one that its environment names, else sealed rows of its database. */
export async function openProcessSecretStore(
  directory: string,
  { secretVersions }: Pick<Database, 'secretVersions'>,
): Promise<SecretStore> {
  if (process.env['SECRET_STORE'] === undefined) {
    const files = createFileSecretStore({
      versions: () => secretVersions,
      keyring: keyringOf(KEY_1),
    })
    return withOrigins(files, join(directory, 'origins'))
  }
  return openVault(process.env)
}

/** Vault or OpenBao as the settings of a portal name it. */
export async function openVault(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<SecretStore> {
  const readFile = () => {
    throw new Error('the test is wrong')
  }
  const open = valueOf(secretStores.vault.read({ environment, readFile }))
  const secretVersions = readFile
  return valueOf(await open({ secretVersions, environments: [], clock, log: silent }))
}
