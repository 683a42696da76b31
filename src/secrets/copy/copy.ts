import type { StoredEntries } from '../../lib/adapters/secret-store/file/stored-entries.ts'
import { readAhead } from '../../lib/concurrency/read-ahead.ts'
import type { SecretPath } from '../../lib/names.ts'
import type { SecretStoreFailure } from '../../lib/ports/secret-store.ts'
import { type CopiedEntry, type CopyChoices, copyEntry, type CopyTarget } from './copy-entry.ts'

export type CopyOutcome =
  | { readonly kind: 'copied'; readonly name: string; readonly entry: CopiedEntry }
  | { readonly kind: 'deleted'; readonly name: string }
  | { readonly kind: 'not_an_entry'; readonly name: string }
  | { readonly kind: 'unlisted'; readonly name: string; readonly errno: string }
  | { readonly kind: 'unread'; readonly name: string; readonly failure: SecretStoreFailure }
  | { readonly kind: 'unwritten'; readonly name: string; readonly failure: SecretStoreFailure }
  /** The target had stopped taking requests. */
  | { readonly kind: 'not_tried'; readonly name: string }

const AT_ONCE = 8

/** Failures that the next entry would meet too. */
const ENDS_THE_COPY: ReadonlySet<SecretStoreFailure['kind']> = new Set([
  'secret_store_unreachable',
  'secret_store_timeout',
  'secret_store_sealed',
  'secret_store_rate_limited',
])

/** Copies every entry, and tells of each as soon as those before it are done. */
export async function* copyEntries(
  source: StoredEntries,
  target: CopyTarget,
  choices: CopyChoices,
): AsyncGenerator<CopyOutcome, void, void> {
  const { paths, others, unreadable } = await source.list()
  for (const name of others) yield { kind: 'not_an_entry', name }
  for (const [name, errno] of unreadable) yield { kind: 'unlisted', name, errno }

  let ended = false
  /** `null`: the folder of an entry that was never written. */
  const copy = async (name: SecretPath): Promise<CopyOutcome | null> => {
    if (ended) return { kind: 'not_tried', name }
    const found = await source.read(name)
    if (!found.ok) return { kind: 'unread', name, failure: found.error }
    const { version, values } = found.value
    if (values === null) return version === 0 ? null : { kind: 'deleted', name }
    const copied = await copyEntry(target, name, values, choices)
    if (copied.ok) return { kind: 'copied', name, entry: copied.value }
    ended ||= ENDS_THE_COPY.has(copied.error.kind)
    return { kind: 'unwritten', name, failure: copied.error }
  }
  for await (const [, outcome] of readAhead(paths, AT_ONCE, copy)) {
    if (outcome !== null) yield outcome
  }
}
