import { openVersion, sealVersion } from '../../lib/adapters/secret-store/file/sealed-version.ts'
import type { SecretVersionName } from '../../lib/ports/database/secret-versions.ts'
import { err, ok, type Result } from '../../lib/result.ts'
import type { SettingMistake, SettingSource } from '../../lib/settings/setting.ts'
import { openSealedRows, readSealedSettings, type SealedRows } from './sealed-rows.ts'
import { shown, unreadText } from './unread-text.ts'

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
  const isWhole = await resealVersions(rows.value, dryRun, print)
  await rows.value.close()
  return ok(isWhole)
}

/** Outcomes of a version; in a dry run, those that it would have. */
interface Outcome {
  /** Id of the key that seals it now; `null`: a writer has removed it, or nobody knows. */
  readonly keyId: string | null
  /** For the person; a version that is as it should be has no line. */
  readonly text?: string
  readonly hasFailed?: true
}

/**
 * Seals every version with the first key, in its place: its number and its content stay. Works beside processes that write, and can be
 * broken off and repeated at any moment. A dry run opens the versions and writes nothing. Prints a line about each version that was not as
 * it should be, and which key holds how much: names of entries and keys, and nothing about values. Answers whether everything is
 * sealed by the first key.
 */
export async function resealVersions(
  { keyring, versions, names }: Omit<SealedRows, 'close'>,
  dryRun: boolean,
  print: (line: string) => void,
): Promise<boolean> {
  const { ids } = keyring
  const [first] = ids

  async function reseal(name: SecretVersionName): Promise<Outcome> {
    const found = await versions.find(name.path, name.version)
    if (!found.ok) return UNREAD
    if (found.value === null) return GONE
    const { keyId } = found.value
    const opened = openVersion(keyring, found.value)
    if (!opened.ok) {
      return opened.error.kind === 'secret_store_sealed'
        ? failed(`it is sealed by ${shown(keyId)}, and no key of SECRET_STORE_KEYS opens it`, keyId)
        : failed(unreadText(opened.error))
    }
    if (keyId === first) return { keyId }
    if (dryRun) return { keyId, text: `is sealed by ${shown(keyId)}, and would be resealed` }
    const replaced = await versions.replace(found.value, sealVersion(keyring, name, opened.value))
    if (!replaced.ok) return UNREAD
    // Writers never change a version: they remove it.
    if (!replaced.value) return GONE
    return { keyId: first, text: `was sealed by ${shown(keyId)}, and is resealed` }
  }

  const held = new Map<string, number>(ids.map((id) => [id, 0]))
  let failures = 0
  for (const name of names) {
    const { keyId, text, hasFailed } = await reseal(name)
    if (keyId !== null) held.set(keyId, (held.get(keyId) ?? 0) + 1)
    if (hasFailed) failures += 1
    if (text !== undefined) print(`${name.path}, version ${name.version}: ${text}`)
  }
  for (const [id, count] of held) {
    const role = id === first ? ' seals, and' : ids.includes(id) ? '' : ', an unknown key,'
    const what = count === 0 ? 'nothing' : count === 1 ? '1 version' : `${count} versions`
    print(`${shown(id)}${role} holds ${what}.`)
  }
  const empty = ids.slice(1).filter((id) => held.get(id) === 0)
  if (failures === 0 && empty.length > 0) {
    const list = empty.join(', ')
    print(`${list}: can leave SECRET_STORE_KEYS once every process seals with ${first}.`)
  }
  if (dryRun) print('Nothing was written: this was a dry run.')
  return failures === 0
}

const failed = (why: string, keyId: string | null = null): Outcome => ({
  keyId,
  text: `FAILED: ${why}`,
  hasFailed: true,
})

const UNREAD = failed(unreadText({ kind: 'secret_store_unreachable' }))
const GONE: Outcome = { keyId: null }
