import type { SecretPath } from '../../lib/names.ts'
import {
  type SecretEntry,
  type SecretStore,
  type SecretStoreFailure,
  SERVICE,
} from '../../lib/ports/secret-store.ts'
import { ok, type Result } from '../../lib/result.ts'

export type CopyTarget = Pick<SecretStore, 'describe' | 'merge' | 'label'>

export interface CopyChoices {
  readonly dryRun: boolean
  /** Whether values of the source replace those of the target. */
  readonly overwrite: boolean
}

/** The keys of a copied entry, each sorted. */
export interface CopiedEntry {
  /** Whether the entry was absent. */
  readonly isNew: boolean
  readonly added: readonly string[]
  readonly replaced: readonly string[]
  /** Keys that are in both stores and have the target's value. */
  readonly kept: readonly string[]
}

/** Each lost race means that another writer was faster. */
const ATTEMPTS_MAX = 20
const PAUSE_MAX_MS = 100

/**
 * Copies values into an entry by compare-and-swap. All keys of an entry arrive at once, so that a copy that breaks off leaves every
 * entry as it was or whole.
 */
export async function copyEntry(
  target: CopyTarget,
  path: SecretPath,
  values: ReadonlyMap<string, string>,
  { dryRun, overwrite }: CopyChoices,
): Promise<Result<CopiedEntry, SecretStoreFailure>> {
  for (let attempt = 1; ; attempt += 1) {
    const found = await target.describe(path, SERVICE)
    if (!found.ok) return found
    const copied = compare(found.value, values, overwrite)
    if (dryRun) return ok(copied)
    const written = [...values].filter(([key]) => !copied.kept.includes(key))
    if (copied.isNew || written.length > 0) {
      const merged = await target.merge(
        path,
        found.value.version,
        Object.fromEntries(written),
        SERVICE,
      )
      if (!merged.ok && merged.error.kind === 'secret_conflict' && attempt < ATTEMPTS_MAX) {
        await Bun.sleep(Math.random() * PAUSE_MAX_MS)
        continue
      }
      if (!merged.ok) return merged
    }
    const labelled = await labelUnknown(target, path, found.value)
    return labelled.ok ? ok(copied) : labelled
  }
}

function compare(
  entry: SecretEntry,
  values: ReadonlyMap<string, string>,
  overwrite: boolean,
): CopiedEntry {
  const present = new Set(entry.kind === 'present' ? entry.keys : [])
  const keys = [...values.keys()].toSorted()
  const common = keys.filter((key) => present.has(key))
  return {
    isNew: entry.kind === 'absent',
    added: keys.filter((key) => !present.has(key)),
    replaced: overwrite ? common : [],
    kept: overwrite ? [] : common,
  }
}

/** Also labels an entry that a copy made before it was broken off. */
const labelUnknown = async (
  target: CopyTarget,
  path: SecretPath,
  before: SecretEntry,
): Promise<Result<void, SecretStoreFailure>> =>
  before.kind === 'present' && before.origin !== null
    ? ok(undefined)
    : target.label(path, { run: null }, SERVICE)
