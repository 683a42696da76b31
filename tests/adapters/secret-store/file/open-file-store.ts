import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createFileSecretStore, readEntry } from '#src/lib/adapters/secret-store/file/index.ts'
import { sealVersion } from '#src/lib/adapters/secret-store/file/sealed-version.ts'
import type {
  SecretVersionRow,
  SecretVersionStore,
} from '#src/lib/ports/database/secret-versions.ts'
import type { SecretStore } from '#src/lib/ports/secret-store.ts'
import type { SecretStoreFixture } from '#tests/contracts/secret-store.ts'
import { KEY_1, keyringOf } from '#tests/support/fixed-keyring.ts'
import { value } from '#tests/support/secret-entries.ts'
import { valueOf } from '#tests/support/value-of.ts'

export interface FileFixture extends SecretStoreFixture {
  /** Of a database in the folder `directory`. */
  readonly url: string
  readonly directory: string
  readonly versions: SecretVersionStore
  /** The same rows with other keys. */
  readonly under: (keys: string) => SecretStore
  /** Every row, with its content. */
  rows(): Promise<readonly SecretVersionRow[]>
  /** Puts a row there that the store has not written. */
  readonly plant: (row: SecretVersionRow) => Promise<void>
  close(): Promise<void>
}

export async function openFileStore(): Promise<FileFixture> {
  const directory = await mkdtemp(join(tmpdir(), 'portico-secrets-'))
  const url = `sqlite:${join(directory, 'portico.sqlite')}`
  const database = valueOf(await openDatabase(url))
  const { secretVersions: versions } = database
  const close = () => database.close()
  const keyring = keyringOf(KEY_1)
  const under = (keys: string) =>
    createFileSecretStore({ versions: () => versions, keyring: keyringOf(keys) })

  return {
    store: under(KEY_1),
    another: () => under(KEY_1),
    keepsOrigins: false,
    url,
    directory,
    versions,
    under,
    async rows() {
      const listed = valueOf(await versions.list(null, 1_000))
      const found = listed.map(async ({ path, version }) => {
        const row = await versions.find(path, version)
        if (!row.ok || row.value === null) throw new Error('no row')
        return row.value
      })
      return Promise.all(found)
    },
    async plant(row) {
      const found = valueOf(await versions.find(row.path, row.version))
      const done = found === null ? await versions.add(row) : await versions.replace(found, row)
      if (!done.ok) throw new Error(done.error.reason)
    },
    async values(path) {
      const { values } = value(await readEntry(versions, keyring, path))
      return values ?? undefined
    },
    async remove(path) {
      const { version } = value(await readEntry(versions, keyring, path))
      await versions.add(sealVersion(keyring, { path, version: version + 1 }, null))
    },
    close,
    async [Symbol.asyncDispose]() {
      await close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
