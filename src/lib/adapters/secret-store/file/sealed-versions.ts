import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Keyring } from '../../../crypto/keyring.ts'
import type { SecretPath } from '../../../names.ts'
import type { SecretStoreFailure, SecretVersion } from '../../../ports/secret-store.ts'
import { ok, type Result } from '../../../result.ts'
import { settle, storeError } from './outcome.ts'
import { VERSION_BYTES_MAX } from './read-entry.ts'
import { keyIdOf, openVersion, sealVersion } from './sealed-version.ts'
import { listVersions, readVersion, replaceVersion } from './version-folder.ts'

const DEADLINE_MS = 10_000
/** Attempts to replace a version while a concurrent writer removes staged files. */
const ATTEMPTS_MAX = 5

export type ResealedVersion =
  /** The first key had sealed it. */
  | { readonly kind: 'current' }
  /** `keyId`: the key that had sealed it. */
  | { readonly kind: 'resealed'; readonly keyId: string }
  /** No key opens it: the key is missing, or somebody changed the file. */
  | { readonly kind: 'unopened'; readonly keyId: string }
  /** A writer has removed it. */
  | { readonly kind: 'gone' }

export interface SealedVersions {
  list(path: SecretPath): Promise<Result<readonly SecretVersion[], SecretStoreFailure>>
  /**
   * Seals a version with the first key, in its place: its number and its content stay. Works beside processes that write. A dry run
   * opens the version and writes nothing.
   */
  reseal(
    path: SecretPath,
    version: SecretVersion,
    dryRun: boolean,
  ): Promise<Result<ResealedVersion, SecretStoreFailure>>
}

/** Every kept version of the file store, so that a key can be retired. */
export function createSealedVersions({
  directory,
  keyring,
}: {
  readonly directory: string
  readonly keyring: Keyring
}): SealedVersions {
  const root = resolve(directory)

  /** `undefined`: the version or the staged file was removed in the meantime. */
  async function resealOnce(
    path: SecretPath,
    version: SecretVersion,
    isDry: boolean,
  ): Promise<Result<ResealedVersion | undefined, SecretStoreFailure>> {
    const bytes = await readVersion(join(root, path), version, VERSION_BYTES_MAX)
    if (bytes === 'gone') return ok({ kind: 'gone' })
    if (bytes === 'too_large') return storeError('version_too_large')
    const keyId = keyIdOf(bytes)
    if (keyId === undefined) return storeError('version_damaged')
    const opened = openVersion(keyring, path, version, bytes)
    if (!opened.ok) {
      return opened.error.kind === 'secret_store_sealed' ? ok({ kind: 'unopened', keyId }) : opened
    }
    if (keyId === keyring.ids[0]) return ok({ kind: 'current' })
    const resealed = sealVersion(keyring, path, version, opened.value)
    const isDone = isDry || (await replaceVersion(join(root, path), version, resealed))
    return ok(isDone ? { kind: 'resealed', keyId } : undefined)
  }

  return {
    list: (path) =>
      settle(DEADLINE_MS, async () => {
        const versions = await readdir(join(root, path), { withFileTypes: true })
        // A pipe without a writer never opens, and a device never ends.
        return versions.every((version) => version.isFile())
          ? ok(await listVersions(join(root, path)))
          : storeError('version_damaged')
      }),

    reseal: (path, version, dryRun) =>
      settle(DEADLINE_MS, async (signal) => {
        for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
          const tried = await resealOnce(path, version, dryRun || signal.aborted)
          if (!tried.ok) return tried
          if (tried.value !== undefined) return ok(tried.value)
        }
        return storeError('version_gone')
      }),
  }
}
