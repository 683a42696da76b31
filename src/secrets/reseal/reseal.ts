import type {
  ResealedVersion,
  SealedVersions,
} from '../../lib/adapters/secret-store/file/sealed-versions.ts'
import type { SecretPath } from '../../lib/names.ts'
import type { SecretStoreFailure, SecretVersion } from '../../lib/ports/secret-store.ts'

/** The outcome for a version, in a dry run the expected one. `version` is `null` for an entry that cannot be listed. */
export interface ResealOutcome {
  readonly path: SecretPath
  readonly version: SecretVersion | null
  readonly result:
    ResealedVersion | { readonly kind: 'failed'; readonly failure: SecretStoreFailure }
}

/** Reseals every version of these entries. Can be broken off and repeated at any moment. */
export async function* resealEntries(
  paths: readonly SecretPath[],
  versions: SealedVersions,
  dryRun: boolean,
): AsyncGenerator<ResealOutcome, void, void> {
  for (const path of paths) {
    const listed = await versions.list(path)
    if (!listed.ok) {
      yield { path, version: null, result: { kind: 'failed', failure: listed.error } }
      continue
    }
    for (const version of listed.value) {
      const resealed = await versions.reseal(path, version, dryRun)
      const result = resealed.ok
        ? resealed.value
        : ({ kind: 'failed', failure: resealed.error } as const)
      yield { path, version, result }
    }
  }
}
