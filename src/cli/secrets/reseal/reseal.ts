import { openVersion, sealVersion } from '../../../lib/adapters/secret-store/file/sealed-version.ts'
import type { SecretVersionName } from '../../../lib/ports/database/secret-versions.ts'
import type { SecretStoreFailure } from '../../../lib/ports/secret-store.ts'
import type { SealedRows } from '../sealed-rows.ts'

/** The outcome for a version, in a dry run the expected one. */
export type ResealOutcome = SecretVersionName &
  (
    | { /** The first key had sealed it. */ readonly kind: 'current' }
    | {
        /** `keyId`: the key that had sealed it. */ readonly kind: 'resealed'
        readonly keyId: string
      }
    | { /** No key opens it. */ readonly kind: 'unopened'; readonly keyId: string }
    | { /** A writer has removed it. */ readonly kind: 'gone' }
    | { readonly kind: 'failed'; readonly failure: SecretStoreFailure }
  )

/**
 * Seals every version with the first key, in its place: its number and its content stay. Works beside processes that write, and can be
 * broken off and repeated at any moment. A dry run opens the versions and writes nothing.
 */
export async function* resealVersions(
  { keyring, versions, names }: Omit<SealedRows, 'close'>,
  dryRun: boolean,
): AsyncGenerator<ResealOutcome, void, void> {
  const failure = { kind: 'secret_store_unreachable' } as const
  for (const name of names) {
    const found = await versions.find(name.path, name.version)
    if (!found.ok) {
      yield { ...name, kind: 'failed', failure }
      continue
    }
    if (found.value === null) {
      yield { ...name, kind: 'gone' }
      continue
    }
    const { keyId } = found.value
    const opened = openVersion(keyring, found.value)
    if (!opened.ok) {
      yield opened.error.kind === 'secret_store_sealed'
        ? { ...name, kind: 'unopened', keyId }
        : { ...name, kind: 'failed', failure: opened.error }
      continue
    }
    if (keyId === keyring.ids[0]) {
      yield { ...name, kind: 'current' }
      continue
    }
    const resealed = sealVersion(keyring, name, opened.value)
    const replaced = dryRun ? null : await versions.replace(found.value, resealed)
    if (replaced?.ok === false) yield { ...name, kind: 'failed', failure }
    // Writers never change a version: they remove it.
    else
      yield replaced?.value === false
        ? { ...name, kind: 'gone' }
        : { ...name, kind: 'resealed', keyId }
  }
}
