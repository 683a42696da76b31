import { createHash, randomBytes } from 'node:crypto'
import type { SecretPath } from '../../names.ts'
import { createQueue } from '../../in-turn.ts'
import type { Keyring } from '../../keyring.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DatabaseFailure, SecretWriteStore } from '../../ports/database.ts'
import type { PresentEntry, SecretStore, SecretStoreFailure } from '../../ports/secret-store.ts'
import { err, ok, type Result } from '../../result.ts'

const ATTEMPTS_MAX = 5
const DIGEST_BYTES = 32

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

/**
 * Merges secrets into an entry, none lost and none written over unasked. What is about to be written is remembered before, as a
 * sealed digest: after a crash, or when the same is asked again, keys that are there because of that are no clash.
 */
export function createSecrets({ secretStore, writes, keyring, clock }: SecretsOptions) {
  const inTurn = createQueue()

  /** What of a request would clash with what is there; nothing when it was written by the same request before. */
  async function look(request: SecretsRequest) {
    const { path, values } = request
    const entry = await secretStore.describe(path)
    if (!entry.ok) return entry
    if (entry.value.kind === 'absent') {
      return ok({ entry: entry.value, clashes: noKeys, written: null })
    }
    const clashes = Object.keys(values)
      .filter((key) => present(entry.value).includes(key))
      .toSorted()
    const isWritten = clashes.length === Object.keys(values).length
    const remembered = isWritten ? await wasWritten(request, entry.value.version) : ok(false)
    if (!remembered.ok) return remembered
    return ok({
      entry: entry.value,
      clashes: remembered.value ? [] : clashes,
      written: remembered.value ? entry.value : null,
    })
  }

  async function wasWritten({ path, values }: SecretsRequest, version: number) {
    const found = await writes.find(path)
    if (!found.ok) return found
    // Any later version is somebody else's, whatever it holds.
    if (found.value === null || found.value.expectedVersion + 1 !== version) return ok(false)
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

    write: (request: SecretsRequest): Promise<Result<PresentEntry, SecretsFailure>> =>
      inTurn(request.path, () => writeNow(request)),
  }

  async function remember(path: SecretPath, expectedVersion: number, digest: Uint8Array) {
    const sealed = keyring.seal(contextOf(path), digest)
    return writes.remember({ path, expectedVersion, at: clock.now(), ...sealed })
  }

  async function writeNow(request: SecretsRequest): Promise<Result<PresentEntry, SecretsFailure>> {
    const { path, values, overwrite } = request
    for (let attempt = 1; ; attempt++) {
      const looked = await look(request)
      if (!looked.ok) return looked
      const { entry, clashes, written } = looked.value
      if (written !== null && !overwrite) return ok(written)
      if (clashes.length > 0 && !overwrite) {
        return err({ kind: 'secret_exists', keys: clashes })
      }
      const remembered = await remember(path, entry.version, digestOf(values))
      if (!remembered.ok) return remembered
      const merged = await secretStore.merge(path, entry.version, values)
      if (merged.ok || merged.error.kind !== 'secret_conflict') return merged
      // Nothing was written: what is there now must not be taken for ours.
      const forgotten = await remember(path, entry.version, randomBytes(DIGEST_BYTES))
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
