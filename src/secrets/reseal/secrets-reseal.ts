import { settings } from '../../config-table.ts'
import { entriesFolder, fileSettings } from '../../lib/adapters/secret-store/file/kind.ts'
import { createSealedVersions } from '../../lib/adapters/secret-store/file/sealed-versions.ts'
import { createStoredEntries } from '../../lib/adapters/secret-store/file/stored-entries.ts'
import { err, ok, type Result } from '../../lib/result.ts'
import {
  readSettings,
  type SettingMistake,
  type SettingSource,
} from '../../lib/settings/setting.ts'
import { isFolder } from '../is-folder.ts'
import { createResealReport } from './report.ts'
import { resealEntries } from './reseal.ts'

export interface SecretsResealRequest {
  readonly dryRun: boolean
  readonly print: (line: string) => void
}

/** Seals everything in the file store with the first key. Answers whether no other key is needed any more. */
export async function resealSecrets(
  { dryRun, print }: SecretsResealRequest,
  source: SettingSource,
): Promise<Result<boolean, readonly SettingMistake[]>> {
  const { DATA_DIR } = settings
  const read = readSettings({ DATA_DIR, ...fileSettings }, source)
  if (!read.ok) return err(read.error)
  const { DATA_DIR: dataDirectory, SECRET_STORE_KEYS: keyring } = read.value
  const directory = entriesFolder(dataDirectory)
  if (!(await isFolder(directory))) {
    print(`There is no folder ${directory}: see DATA_DIR.`)
    return ok(false)
  }
  const report = createResealReport({ ids: keyring.ids, dryRun })
  const { paths, unreadable } = await createStoredEntries({ directory, keyring }).list()
  for (const [name, errno] of unreadable) print(report.unlisted(name, errno))
  const versions = createSealedVersions({ directory, keyring })
  for await (const outcome of resealEntries(paths, versions, dryRun)) {
    const line = report.line(outcome)
    if (line !== null) print(line)
  }
  const { ok: isWhole, text } = report.summary()
  print(text)
  return ok(isWhole)
}
