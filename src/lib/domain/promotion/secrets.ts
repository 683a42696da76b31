import { createHash } from 'node:crypto'
import type { SecretPath } from '../../names.ts'
import { createQueue } from '../../concurrency/queue.ts'
import type { Keyring } from '../../crypto/keyring.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DatabaseFailure, SecretWriteStore } from '../../ports/database.ts'
import type { PresentEntry, SecretStore, SecretStoreFailure } from '../../ports/secret-store.ts'
import { err, ok, type Result } from '../../result.ts'

const ATTEMPTS_MAX = 5

export type SecretsFailure =
  | { readonly kind: 'secret_exists'; readonly keys: readonly string[] }
  | SecretStoreFailure
  | DatabaseFailure

export interface SecretsRequest {
  readonly path: SecretPath
  readonly values: Readonly<Record<string, string>>
  /** Whether keys that are there already may be written over. */
  readonly overwrite: boolean
}

export interface SecretsOptions {
  readonly secretStore: SecretStore
  readonly writes: SecretWriteStore
  readonly keyring: Keyring
  readonly clock: Clock
}

export interface SecretsWritten {
  readonly entry: PresentEntry
  /** Whether this call wrote them; the same request before it otherwise. */
  readonly isNew: boolean
}

/**
 * Merges secrets into an entry, none lost and none written over unasked. What is about to be written is remembered before, as a
 * sealed digest: after a crash, or when the same is asked again, keys that are there because of that are no clash. Of two who
 * are about to write over the same version neither is remembered, so that what one wrote is never taken for the other's.
 */
export function createSecrets({ secretStore, writes, keyring, clock }: SecretsOptions) {
  const inTurn = createQueue()

  /** What of a request would clash with what is there; nothing when it was written by the same request before. */
  async function look(request: SecretsRequest) {
    const { path, values } = request
    const entry = await secretStore.describe(path)
    if (!entry.ok) return entry
    if (entry.value.kind === 'absent') {
      return ok({ entry: entry.value, clashes: noKeys, isWritten: false })
    }
    const clashes = Object.keys(values)
      .filter((key) => present(entry.value).includes(key))
      .toSorted()
    const areAllThere = clashes.length === Object.keys(values).length
    // Any later version is somebody else's, whatever it holds.
    const written = areAllThere ? await isRemembered(request, entry.value.version - 1) : ok(false)
    if (!written.ok) return written
    return ok({
      entry: entry.value,
      clashes: written.value ? noKeys : clashes,
      isWritten: written.value,
    })
  }

  /** Whether these values, and no others, were about to be written over a version. */
  async function isRemembered({ path, values }: SecretsRequest, expectedVersion: number) {
    const found = await writes.find(path)
    if (!found.ok) return found
    if (found.value?.expectedVersion !== expectedVersion) return ok(false)
    const digest = keyring.open(contextOf(path), found.value)
    return ok(digest !== undefined && Buffer.from(digest).equals(digestOf(values)))
  }

  return {
    /** Keys that are there and may not be written over. */
    async check(request: SecretsRequest): Promise<Result<void, SecretsFailure>> {
      const looked = await look(request)
      if (!looked.ok) return looked
      const { clashes } = looked.value
      return clashes.length > 0 && !request.overwrite
        ? err({ kind: 'secret_exists', keys: clashes })
        : ok(undefined)
    },

    write: (request: SecretsRequest): Promise<Result<SecretsWritten, SecretsFailure>> =>
      inTurn(request.path, () => writeNow(request)),
  }

  /** Again for the same version, it is nobody's. */
  function remember({ path, values }: SecretsRequest, expectedVersion: number) {
    const sealed = keyring.seal(contextOf(path), digestOf(values))
    return writes.remember({ path, expectedVersion, at: clock.now(), ...sealed })
  }

  async function writeNow(
    request: SecretsRequest,
  ): Promise<Result<SecretsWritten, SecretsFailure>> {
    const { path, values, overwrite } = request
    for (let attempt = 1; ; attempt++) {
      const looked = await look(request)
      if (!looked.ok) return looked
      const { entry, clashes, isWritten } = looked.value
      if (isWritten && !overwrite && entry.kind === 'present') return ok({ entry, isNew: false })
      if (clashes.length > 0 && !overwrite) {
        return err({ kind: 'secret_exists', keys: clashes })
      }
      const known = await isRemembered(request, entry.version)
      const remembered = known.ok && !known.value ? await remember(request, entry.version) : known
      if (!remembered.ok) return remembered
      const merged = await secretStore.merge(path, entry.version, values)
      if (merged.ok) return ok({ entry: merged.value, isNew: true })
      if (merged.error.kind !== 'secret_conflict') return merged
      // Nothing was written: what is there now must not be taken for ours.
      const forgotten = await remember(request, entry.version)
      if (!forgotten.ok) return forgotten
      if (attempt >= ATTEMPTS_MAX) return merged
    }
  }
}

const noKeys: readonly string[] = []

const present = (entry: { readonly keys: readonly string[] } | { readonly kind: 'absent' }) =>
  'keys' in entry ? entry.keys : []

const contextOf = (path: SecretPath): string => `secret-write/${path}`

const digestOf = (values: Readonly<Record<string, string>>): Uint8Array => {
  const entries = Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(entries)).digest()
}
