import { join } from 'node:path'
import type { Keyring } from '../../../crypto/keyring.ts'
import type { SecretPath } from '../../../names.ts'
import type { SecretStoreFailure, SecretVersion } from '../../../ports/secret-store.ts'
import { ok, type Result } from '../../../result.ts'
import { storeError } from './outcome.ts'
import { openVersion, type Values } from './sealed-version.ts'
import { newestVersion, readVersion } from './version-folder.ts'

/** Limit of a stored file. Base64 leaves three quarters of it for keys and values. */
export const VERSION_BYTES_MAX = 1024 * 1024
/** Attempts to read a version while concurrent writers remove it. On a file system in memory they are fast. */
const READ_ATTEMPTS = 20

export interface EntryContent {
  /** 0: the entry was never written. */
  readonly version: SecretVersion
  readonly values: Values
}

/** The newest version of an entry. */
export async function readEntry({
  root,
  keyring,
  path,
}: {
  readonly root: string
  readonly keyring: Keyring
  readonly path: SecretPath
}): Promise<Result<EntryContent, SecretStoreFailure>> {
  const folder = join(root, path)
  for (let attempt = 0; attempt < READ_ATTEMPTS; attempt += 1) {
    const version = await newestVersion(folder)
    if (version === 0) return ok({ version, values: null })
    const bytes = await readVersion(folder, version, VERSION_BYTES_MAX)
    if (bytes === 'gone') continue
    if (bytes === 'too_large') return storeError('version_too_large')
    const opened = openVersion(keyring, path, version, bytes)
    return opened.ok ? ok({ version, values: opened.value }) : opened
  }
  return storeError('version_gone')
}
