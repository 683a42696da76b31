import { withoutCalls } from '../../compose/chosen-ports.ts'
import { readEntry } from '../../lib/adapters/secret-store/file/index.ts'
import { secretStores } from '../../lib/adapters/secret-store/index.ts'
import { failureText } from '../../lib/adapters/secret-store/vault/failure-text.ts'
import { readAhead } from '../../lib/concurrency/read-ahead.ts'
import { SecretPath } from '../../lib/names.ts'
import { systemClock } from '../../lib/ports/clock.ts'
import type { SecretStoreFailure } from '../../lib/ports/secret-store.ts'
import { err, ok, type Result } from '../../lib/result.ts'
import type { SettingMistake, SettingSource } from '../../lib/settings/setting.ts'
import { type CopiedEntry, type CopyChoices, copyEntry, type CopyTarget } from './copy-entry.ts'
import { openSealedRows, readSealedSettings, type SealedRows } from './sealed-rows.ts'
import { shown, unreadText } from './unread-text.ts'

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
  const opened = await target.value({ ...withoutCalls, environments: [], clock: systemClock })
  if (!opened.ok) {
    print(`${opened.error}.`)
    return ok(false)
  }
  const rows = await openSealedRows(stored.value)
  if (!rows.ok) {
    print(rows.error)
    return ok(false)
  }
  const isWhole = await copyEntries(rows.value, opened.value, choices, print)
  await Promise.all([opened.value.close(), rows.value.close()])
  return ok(isWhole)
}

/** Outcomes of an entry, as they are counted and told. */
interface Outcome {
  readonly result: 'made' | 'changed' | 'unchanged' | 'deleted' | 'failed' | 'not tried'
  readonly text: string
  /** The number of keys that have the target's value. */
  readonly kept?: number
}

const AT_ONCE = 8

/** Failures that the next entry would meet too. */
const ENDS_THE_COPY: ReadonlySet<SecretStoreFailure['kind']> = new Set([
  'secret_store_unreachable',
  'secret_store_timeout',
  'secret_store_sealed',
  'secret_store_rate_limited',
])

/**
 * Copies every entry, and prints a line about each as soon as those before it are done. Lines have names of entries and keys, and nothing
 * about values. Answers whether all are copied.
 */
export async function copyEntries(
  { keyring, versions, names }: Omit<SealedRows, 'close'>,
  target: CopyTarget,
  choices: CopyChoices,
  print: (line: string) => void,
): Promise<boolean> {
  const { dryRun, overwrite } = choices
  const counts = { made: 0, changed: 0, unchanged: 0, deleted: 0, failed: 0, 'not tried': 0 }
  let hasEnded = false
  let keptKeys = 0

  async function copy(path: SecretPath): Promise<Outcome> {
    if (hasEnded) return { result: 'not tried', text: 'not tried' }
    const found = await readEntry(versions, keyring, path)
    if (!found.ok) return { result: 'failed', text: `FAILED: ${unreadText(found.error)}` }
    const { values } = found.value
    if (values === null) return { result: 'deleted', text: 'deleted, and not copied' }
    const copied = await copyEntry(target, path, values, choices)
    if (copied.ok) return copiedOutcome(copied.value, dryRun)
    hasEnded ||= ENDS_THE_COPY.has(copied.error.kind)
    return { result: 'failed', text: `FAILED: ${failureText(copied.error)}` }
  }

  const paths = new Set(names.map(({ path }) => SecretPath.of(path)))
  for await (const [path, { result, text, kept = 0 }] of readAhead(paths, AT_ONCE, copy)) {
    counts[result] += 1
    keptKeys += kept
    print(`${shown(path)}: ${text}`)
  }
  const parts = Object.entries(counts)
    .filter(([, number]) => number > 0)
    .map(([result, number]) => `${number} ${result}`)
  const total = `${paths.size} ${paths.size === 1 ? 'entry' : 'entries'}`
  print(parts.length > 0 ? `${total}: ${parts.join(', ')}.` : `${total}.`)
  if (dryRun) print('Nothing was written: this was a dry run.')
  if (keptKeys > 0 && !overwrite) {
    print('Keys that vault has already stay as they are; --overwrite replaces them.')
  }
  const isWhole = counts.failed === 0 && counts['not tried'] === 0
  if (!isWhole) {
    print(
      'Not everything is copied. Mend what is named and run the command again; what is copied stays.',
    )
  }
  return isWhole
}

function copiedOutcome({ isNew, added, replaced, kept }: CopiedEntry, dryRun: boolean): Outcome {
  const done = (participle: string) => (dryRun ? `would be ${participle}` : participle)
  if (isNew) return { result: 'made', text: `${done('made')}, ${keysText(added)}` }
  const parts = [
    ...(added.length > 0 ? [`${keysText(added)} ${done('added')}`] : []),
    ...(replaced.length > 0 ? [`${keysText(replaced)} ${done('replaced')}`] : []),
    ...(kept.length > 0 ? [`${keysText(kept)} left as in vault`] : []),
  ]
  return {
    result: added.length + replaced.length > 0 ? 'changed' : 'unchanged',
    text: parts.join('; ') || 'there already, without keys',
    kept: kept.length,
  }
}

function keysText(keys: readonly string[]): string {
  if (keys.length === 0) return 'without keys'
  return `${keys.length} ${keys.length === 1 ? 'key' : 'keys'} (${keys.map(shown).join(', ')})`
}
