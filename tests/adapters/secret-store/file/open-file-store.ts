import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFileSecretStore } from '#src/lib/adapters/secret-store/file/index.ts'
import { openVersion, sealVersion } from '#src/lib/adapters/secret-store/file/sealed-version.ts'
import { newestVersion } from '#src/lib/adapters/secret-store/file/version-folder.ts'
import type { SecretPath } from '#src/lib/names.ts'
import type { SecretVersion } from '#src/lib/ports/secret-store.ts'
import type { SecretStoreFixture } from '#tests/contracts/secret-store.ts'
import { KEY_1, keyringOf } from '#tests/support/fixed-keyring.ts'
import { SHOP, value } from '#tests/support/secret-entries.ts'

export interface FileFixture extends SecretStoreFixture {
  readonly directory: string
  /** The folder of the entry that most tests use. */
  readonly folder: string
  readonly fileOf: (version: SecretVersion, path?: SecretPath) => string
  /** Puts a file there that the store has not written. */
  readonly plant: (version: SecretVersion, bytes: Uint8Array | string) => Promise<void>
}

export async function openFileStore(keys = KEY_1): Promise<FileFixture> {
  const scratch = await mkdtemp(join(tmpdir(), 'portico-secrets-'))
  const directory = join(scratch, 'secrets')
  const keyring = keyringOf(keys)
  const another = () => createFileSecretStore({ directory, keyring })
  const fileOf = (version: SecretVersion, path: SecretPath = SHOP) =>
    join(directory, path, `${version}.sealed`)

  return {
    store: another(),
    another,
    keepsOrigins: false,
    directory,
    folder: join(directory, SHOP),
    fileOf,
    plant: async (version, bytes) => void (await Bun.write(fileOf(version), bytes)),
    async values(path) {
      const version = await newestVersion(join(directory, path))
      if (version === 0) return undefined
      const bytes = await Bun.file(fileOf(version, path)).bytes()
      return value(openVersion(keyring, path, version, bytes)) ?? undefined
    },
    async remove(path) {
      const version = 1 + (await newestVersion(join(directory, path)))
      await Bun.write(fileOf(version, path), sealVersion(keyring, path, version, null))
    },
    [Symbol.asyncDispose]: () => rm(scratch, { recursive: true, force: true }),
  }
}

/** Every file below, with its content. */
export async function filesOf(directory: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(directory, {
    recursive: true,
    withFileTypes: true,
  })
  const files = new Map<string, string>()
  for (const entry of entries.filter((entry) => entry.isFile())) {
    const file = join(entry.parentPath, entry.name)
    files.set(file.slice(directory.length + 1), await Bun.file(file).text())
  }
  return files
}
