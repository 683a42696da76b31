import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { settings } from '../../config/table.ts'
import { databaseUrl, readDatabaseAuthority } from '../../config/database.ts'
import { databaseRefusal } from '../../lib/adapters/database/check/index.ts'
import { openDatabase } from '../../lib/adapters/database/index.ts'
import { fileSettings } from '../../lib/adapters/secret-store/file/kind.ts'
import { hasUnmoved } from '../../lib/adapters/secret-store/file/move-folder.ts'
import type { Keyring } from '../../lib/crypto/keyring.ts'
import type { DatabaseFailure } from '../../lib/ports/database/failure.ts'
import type {
  SecretVersionName,
  SecretVersionStore,
} from '../../lib/ports/database/secret-versions.ts'
import { err, ok, type Result } from '../../lib/result.ts'
import {
  readSettings,
  type SettingMistake,
  type SettingSource,
} from '../../lib/settings/setting.ts'

const PAGE = 1_000

/** The sealed versions of the secret store `file`. */
export interface SealedRows {
  readonly keyring: Keyring
  readonly versions: SecretVersionStore
  /** The names of all versions, sorted by path and version. */
  readonly names: readonly SecretVersionName[]
  close(): Promise<void>
}

const { DATA_DIR, DATABASE_URL, DATABASE_CA_FILE } = settings

/** The settings of the store `file` and of the database that it is in. */
export const readSealedSettings = (source: SettingSource) =>
  readSettings({ DATA_DIR, DATABASE_URL, DATABASE_CA_FILE, ...fileSettings }, source)

type SealedSettings =
  ReturnType<typeof readSealedSettings> extends Result<infer Values, readonly SettingMistake[]>
    ? Values
    : never

/** Opens the store. The failure is a sentence for the operator. */
export async function openSealedRows(values: SealedSettings): Promise<Result<SealedRows, string>> {
  const folder = join(values.DATA_DIR, 'secrets')
  const unmoved = `The database does not have all secrets of ${folder}: start the service once with SECRET_STORE=file, which copies them.`
  const url = databaseUrl(values)
  // Opening a database makes it: a wrong DATA_DIR would look like an empty store.
  if (values.DATABASE_URL === '' && !existsSync(url.slice('sqlite:'.length))) {
    return err(
      existsSync(folder) ? unmoved : `There is no database in ${values.DATA_DIR}: see DATA_DIR.`,
    )
  }
  const authority = readDatabaseAuthority(values)
  if (!authority.ok) return err(`${authority.error}.`)
  const opened = await openDatabase(url, { ca: authority.value })
  if (!opened.ok) return err(databaseRefusal(url, opened.error))
  const { secretVersions: versions } = opened.value
  const close = () => opened.value.close()
  const isUnmoved = await hasUnmoved(folder, versions)
  const names = isUnmoved.ok ? await namesIn(versions) : isUnmoved
  if (names.ok && isUnmoved.ok && !isUnmoved.value) {
    return ok({ keyring: values.SECRET_STORE_KEYS, versions, names: names.value, close })
  }
  await close()
  return err(names.ok ? unmoved : databaseRefusal(url, names.error))
}

/** The names of all versions, sorted by path and version. */
export async function namesIn(
  versions: SecretVersionStore,
): Promise<Result<readonly SecretVersionName[], DatabaseFailure>> {
  const names: SecretVersionName[] = []
  for (;;) {
    const page = await versions.list(names.at(-1) ?? null, PAGE)
    if (!page.ok) return page
    names.push(...page.value)
    if (page.value.length < PAGE) break
  }
  const byPath = Map.groupBy(names, ({ path }) => path)
  return ok([...byPath.keys()].toSorted().flatMap((path) => byPath.get(path) ?? []))
}
