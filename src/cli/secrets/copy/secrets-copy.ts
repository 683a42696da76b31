import { withoutCalls } from '../../../compose/chosen-ports.ts'
import { secretStores } from '../../../lib/adapters/secret-store/index.ts'
import { systemClock } from '../../../lib/ports/clock.ts'
import { err, ok, type Result } from '../../../lib/result.ts'
import type { SettingMistake, SettingSource } from '../../../lib/settings/setting.ts'
import { openSealedRows, readSealedSettings } from '../sealed-rows.ts'
import { copyEntries, type CopyChoices } from './copy.ts'
import { createCopyReport } from './report.ts'

export interface SecretsCopyRequest extends CopyChoices {
  readonly from: string
  readonly to: string
  readonly print: (line: string) => void
}

/** Copies secrets from the store `file` to Vault, whichever of them `SECRET_STORE` chooses. Answers whether all are copied. */
export async function copySecrets(
  { from, to, print, ...choices }: SecretsCopyRequest,
  source: SettingSource,
): Promise<Result<boolean, readonly SettingMistake[]>> {
  if (from !== 'file' || to !== 'vault') {
    print('Secrets can be copied from `file` to `vault`, and in no other direction.')
    return ok(false)
  }
  const stored = readSealedSettings(source)
  const target = secretStores.vault.read(source)
  if (!stored.ok || !target.ok) {
    return err([...(stored.ok ? [] : stored.error), ...(target.ok ? [] : target.error)])
  }
  const opened = await target.value({
    ...withoutCalls,
    environments: [],
    clock: systemClock,
  })
  if (!opened.ok) {
    print(`${opened.error}.`)
    return ok(false)
  }
  const rows = await openSealedRows(stored.value)
  if (!rows.ok) {
    print(rows.error)
    return ok(false)
  }
  const report = createCopyReport(choices)
  for await (const outcome of copyEntries(rows.value, opened.value, choices)) {
    print(report.line(outcome))
  }
  await Promise.all([opened.value.close(), rows.value.close()])
  const { ok: isWhole, text } = report.summary()
  print(text)
  return ok(isWhole)
}
