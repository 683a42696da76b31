import { readEntry } from '../../../lib/adapters/secret-store/file/index.ts'
import { readAhead } from '../../../lib/concurrency/read-ahead.ts'
import { SecretPath } from '../../../lib/names.ts'
import type { SecretStoreFailure } from '../../../lib/ports/secret-store.ts'
import type { SealedRows } from '../sealed-rows.ts'
import { type CopiedEntry, type CopyChoices, copyEntry, type CopyTarget } from './copy-entry.ts'

export type CopyOutcome =
  | { readonly kind: 'copied'; readonly name: string; readonly entry: CopiedEntry }
  | { readonly kind: 'deleted'; readonly name: string }
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
  { keyring, versions, names }: Omit<SealedRows, 'close'>,
  target: CopyTarget,
  choices: CopyChoices,
): AsyncGenerator<CopyOutcome, void, void> {
  let ended = false
  const copy = async (name: SecretPath): Promise<CopyOutcome> => {
    if (ended) return { kind: 'not_tried', name }
    const found = await readEntry(versions, keyring, name)
    if (!found.ok) return { kind: 'unread', name, failure: found.error }
    const { values } = found.value
    if (values === null) return { kind: 'deleted', name }
    const copied = await copyEntry(target, name, values, choices)
    if (copied.ok) return { kind: 'copied', name, entry: copied.value }
    ended ||= ENDS_THE_COPY.has(copied.error.kind)
    return { kind: 'unwritten', name, failure: copied.error }
  }
  const paths = new Set(names.map(({ path }) => SecretPath.of(path)))
  for await (const [, outcome] of readAhead(paths, AT_ONCE, copy)) yield outcome
}
