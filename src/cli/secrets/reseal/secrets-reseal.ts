import { err, ok, type Result } from '../../../lib/result.ts'
import type { SettingMistake, SettingSource } from '../../../lib/settings/setting.ts'
import { openSealedRows, readSealedSettings } from '../sealed-rows.ts'
import { createResealReport } from './report.ts'
import { resealVersions } from './reseal.ts'

export interface SecretsResealRequest {
  readonly dryRun: boolean
  readonly print: (line: string) => void
}

/** Seals everything in the store `file` with the first key. Answers whether no other key is needed any more. */
export async function resealSecrets(
  { dryRun, print }: SecretsResealRequest,
  source: SettingSource,
): Promise<Result<boolean, readonly SettingMistake[]>> {
  const read = readSealedSettings(source)
  if (!read.ok) return err(read.error)
  const rows = await openSealedRows(read.value)
  if (!rows.ok) {
    print(rows.error)
    return ok(false)
  }
  const report = createResealReport({ ids: rows.value.keyring.ids, dryRun })
  for await (const outcome of resealVersions(rows.value, dryRun)) {
    const line = report.line(outcome)
    if (line !== null) print(line)
  }
  await rows.value.close()
  const { ok: isWhole, text } = report.summary()
  print(text)
  return ok(isWhole)
}
