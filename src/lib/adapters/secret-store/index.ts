import type { SecretStore } from '../../ports/secret-store.ts'
import type { AdapterKind } from '../../settings/adapter-kind.ts'
import { file, fileSettings } from './file/kind.ts'
import type { SecretStoreMeans } from './means.ts'
import { vault } from './vault/kind.ts'

export { fileSettings, type SecretStoreMeans }

/** The secret stores that `SECRET_STORE` chooses from. */
export const secretStores = { file, vault } as const satisfies Record<
  string,
  AdapterKind<SecretStoreMeans, SecretStore>
>
