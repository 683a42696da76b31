import type { Keyring } from '../../../crypto/keyring.ts'
import type { SecretPath } from '../../../names.ts'
import { works } from '../../../ports/connection-finding.ts'
import type { SecretVersionStore } from '../../../ports/database/secret-versions.ts'
import type { SecretStore, SecretStoreFailure, SecretVersion } from '../../../ports/secret-store.ts'
import { err, ok, type Result } from '../../../result.ts'
import { openVersion, sealVersion, type Values } from './sealed-version.ts'

const VERSIONS_KEPT = 10
/** Limit of the sealed keys and values of an entry. */
const SEALED_BYTES_MAX = 768 * 1024
/** The search for a version that opens ends after so many: fewer may have been put there by mistake. */
const SEALED_MAX = 100

export interface FileSecretStoreOptions {
  /** Called at the first use, when the database is open. */
  readonly versions: () => SecretVersionStore
  readonly keyring: Keyring
  /** At least 1. */
  readonly versionsKept?: number
}

/**
 * Entries as sealed rows of the database, one for each version. Write access to the rows allows setting an entry back to a kept version or
 * removing it, but neither reading nor forging one.
 */
export function createFileSecretStore({
  versions,
  keyring,
  versionsKept = VERSIONS_KEPT,
}: FileSecretStoreOptions): SecretStore {
  return {
    knowsPersons: false,

    async describe(path) {
      const found = await readEntry(versions(), keyring, path)
      if (!found.ok) return found
      const { version, values } = found.value
      return ok(
        values === null
          ? { kind: 'absent', version }
          : { kind: 'present', version, keys: [...values.keys()].toSorted(), origin: null },
      )
    },

    async merge(path, expected, values) {
      const found = await readEntry(versions(), keyring, path)
      if (!found.ok) return found
      if (found.value.version !== expected) return err({ kind: 'secret_conflict' })
      const merged = new Map([...(found.value.values ?? []), ...Object.entries(values)])
      const row = sealVersion(keyring, { path, version: expected + 1 }, merged)
      if (row.sealed.length > SEALED_BYTES_MAX) {
        return err({ kind: 'secret_store_error', reason: 'version_too_large' })
      }
      const appended = await versions().append(row, versionsKept)
      if (!appended.ok) return err(UNREACHABLE)
      return appended.value ? ok(undefined) : err({ kind: 'secret_conflict' })
    },

    label: async () => ok(undefined),
    mayCreate: async () => ok(undefined),

    async access() {
      const listed = await versions().list(null, SEALED_MAX)
      if (!listed.ok) return err(UNREACHABLE)
      let sealed = 0
      for (const { path, version } of listed.value) {
        const row = await versions().find(path, version)
        if (!row.ok) return err(UNREACHABLE)
        if (row.value === null) continue
        const opened = openVersion(keyring, row.value)
        if (opened.ok) return ok(undefined)
        if (opened.error.kind === 'secret_store_sealed') sealed += 1
      }
      if (sealed === 0) return ok(undefined)
      const what = `SECRET_STORE_KEYS: no key opens any of ${sealed} versions`
      return err({ kind: 'secret_store_denied', what })
    },

    check: async () => [works('The sealed secrets of applications are in the database.')],
    async close() {},
  }
}

const UNREACHABLE = { kind: 'secret_store_unreachable' } as const

export interface EntryContent {
  /** 0: the entry was never written. */
  readonly version: SecretVersion
  readonly values: Values
}

/** The newest version of an entry. The port of secret stores gives no values; these go to another store alone. */
export async function readEntry(
  versions: Pick<SecretVersionStore, 'find'>,
  keyring: Keyring,
  path: SecretPath,
): Promise<Result<EntryContent, SecretStoreFailure>> {
  const row = await versions.find(path)
  if (!row.ok) return err(UNREACHABLE)
  if (row.value === null) return ok({ version: 0, values: null })
  const opened = openVersion(keyring, row.value)
  return opened.ok ? ok({ version: row.value.version, values: opened.value }) : opened
}
