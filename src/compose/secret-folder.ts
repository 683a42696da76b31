import { join } from 'node:path'
import { databaseRefusal } from '../lib/adapters/database/check/index.ts'
import { moveFolder } from '../lib/adapters/secret-store/file/move-folder.ts'
import type { Keyring } from '../lib/crypto/keyring.ts'
import type {
  SecretVersionName,
  SecretVersionStore,
} from '../lib/ports/database/secret-versions.ts'
import { StartFailure } from './server.ts'

/** Copies the sealed files of earlier releases into the database of the store `file`. What cannot be copied stops the start. */
export async function moveSecretFolder(
  dataDirectory: string,
  databaseUrl: string,
  versions: SecretVersionStore,
  keyring: Keyring,
): Promise<void> {
  const folder = join(dataDirectory, 'secrets')
  const moved = await moveFolder(folder, versions, keyring)
  if (moved.ok) return
  throw new StartFailure(
    moved.error.kind === 'versions_differ'
      ? moved.error.versions.map((version) => differingText(folder, version)).join('\nportico: ')
      : databaseRefusal(databaseUrl, moved.error),
  )
}

const differingText = (folder: string, { path, version }: SecretVersionName): string =>
  `version ${version} of the secrets ${path} is another one in ${folder} than in the database: an earlier release wrote to the folder after this one had started. ` +
  'Stop every process of the earlier release. To keep what the database has, move the files of the entry from this version on out of the folder. ' +
  `To keep the files, DELETE FROM secret_version WHERE path = '${path}' AND version >= ${version}. Then start again`
