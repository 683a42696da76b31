import { settings } from '../../config-table.ts'
import { entriesFolder, fileSettings } from '../../lib/adapters/secret-store/file/kind.ts'
import { createStoredEntries } from '../../lib/adapters/secret-store/file/stored-entries.ts'
import { secretStores } from '../../lib/adapters/secret-store/index.ts'
import { createLog } from '../../lib/logging/log.ts'
import { systemClock } from '../../lib/ports/clock.ts'
import { err, ok, type Result } from '../../lib/result.ts'
import {
  readSettings,
  type SettingMistake,
  type SettingSource,
} from '../../lib/settings/setting.ts'
import { copyEntries } from './copy.ts'
import type { CopyChoices } from './copy-entry.ts'
import { isFolder } from '../is-folder.ts'
import { createCopyReport } from './report.ts'

export interface SecretsCopyRequest extends CopyChoices {
  readonly from: string
  readonly to: string
  readonly print: (line: string) => void
}

/** Copies secrets from the file store to Vault, whichever of them `SECRET_STORE` chooses. Answers whether all are copied. */
export async function copySecrets(
  { from, to, print, ...choices }: SecretsCopyRequest,
  source: SettingSource,
): Promise<Result<boolean, readonly SettingMistake[]>> {
  if (from !== 'file' || to !== 'vault') {
    print('Secrets can be copied from `file` to `vault`, and in no other direction.')
    return ok(false)
  }
  const { DATA_DIR } = settings
  const stored = readSettings({ DATA_DIR, ...fileSettings }, source)
  const target = secretStores.vault.read(source)
  if (!stored.ok || !target.ok) {
    return err([...(stored.ok ? [] : stored.error), ...(target.ok ? [] : target.error)])
  }
  const { DATA_DIR: dataDirectory, SECRET_STORE_KEYS: keyring } = stored.value
  const directory = entriesFolder(dataDirectory)
  if (!(await isFolder(directory))) {
    print(`There is no folder ${directory}: see DATA_DIR.`)
    return ok(false)
  }
  const opened = await target.value({
    dataDirectory,
    environments: [],
    clock: systemClock,
    log: createLog({ level: 'silent' }).events,
  })
  if (!opened.ok) {
    print(`${opened.error}.`)
    return ok(false)
  }
  const report = createCopyReport(choices)
  const entries = createStoredEntries({ directory, keyring })
  for await (const outcome of copyEntries(entries, opened.value, choices)) {
    print(report.line(outcome))
  }
  await opened.value.close()
  const { ok: isWhole, text } = report.summary()
  print(text)
  return ok(isWhole)
}
