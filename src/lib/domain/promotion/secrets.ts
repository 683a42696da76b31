import { createHash } from 'node:crypto'
import type { SecretPath } from '../../names.ts'
import { createQueue, type InTurn } from '../../concurrency/queue.ts'
import type { Keyring } from '../../crypto/keyring.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DatabaseFailure, SecretWriteStore } from '../../ports/database.ts'
import type {
  SecretActor,
  SecretStore,
  SecretStoreFailure,
  SecretVersion,
} from '../../ports/secret-store.ts'
import { err, ok, type Result } from '../../result.ts'

const ATTEMPTS_MAX = 5

export type SecretsFailure =
  | { readonly kind: 'secret_exists'; readonly keys: readonly string[] }
  | SecretStoreFailure
  | DatabaseFailure

export interface SecretsRequest {
  readonly path: SecretPath
  readonly values: Readonly<Record<string, string>>
  /** Whether existing keys may be overwritten. */
  readonly overwrite: boolean
}

export interface SecretsOptions {
  readonly secretStore: SecretStore
  readonly writes: SecretWriteStore
  readonly keyring: Keyring
  readonly clock: Clock
}

export interface SecretsOutcome {
  /** The entry's version with the values in it. */
  readonly version: SecretVersion
  /** Whether this call wrote the entry, not an earlier call of the same request. */
  readonly isNew: boolean
}

/**
 * Merges secrets into an entry without losing keys or overwriting them without permission. Before each write it stores a sealed digest of
 * the values: after a crash, or when the request is repeated, keys of that same write are no clash. When two requests are about to
 * overwrite the same version, neither digest stays, so that neither takes the other's write for its own.
 */
export function createSecrets(options: SecretsOptions) {
  const inTurn = createQueue()
  return (actor: SecretActor) => secretsAs(options, inTurn, actor)
}

export type Secrets = ReturnType<typeof secretsAs>

function secretsAs(
  { secretStore, writes, keyring, clock }: SecretsOptions,
  inTurn: InTurn,
  actor: SecretActor,
) {
  /** The keys of a request that clash with the entry; none when the same request wrote them before. */
  async function look(request: SecretsRequest) {
    const { path, values } = request
    const entry = await secretStore.describe(path, actor)
    if (!entry.ok) return entry
    if (entry.value.kind === 'absent') {
      return ok({ entry: entry.value, clashes: noKeys, isWritten: false })
    }
    const clashes = Object.keys(values)
      .filter((key) => present(entry.value).includes(key))
      .toSorted()
    const areAllPresent = clashes.length === Object.keys(values).length
    // A later version is somebody else's, whatever it holds.
    const written = areAllPresent ? await isRemembered(request, entry.value.version - 1) : ok(false)
    if (!written.ok) return written
    return ok({
      entry: entry.value,
      clashes: written.value ? noKeys : clashes,
      isWritten: written.value,
    })
  }

  /** Whether the stored digest for a version is that of exactly these values. */
  async function isRemembered({ path, values }: SecretsRequest, expectedVersion: number) {
    const found = await writes.find(path)
    if (!found.ok) return found
    if (found.value?.expectedVersion !== expectedVersion) return ok(false)
    const digest = keyring.open(contextOf(path), found.value)
    return ok(digest !== undefined && Buffer.from(digest).equals(digestOf(values)))
  }

  return {
    /** Refuses existing keys that may not be overwritten. */
    async check(request: SecretsRequest): Promise<Result<void, SecretsFailure>> {
      const looked = await look(request)
      if (!looked.ok) return looked
      const { clashes } = looked.value
      return clashes.length > 0 && !request.overwrite
        ? err({ kind: 'secret_exists', keys: clashes })
        : ok(undefined)
    },

    write: (request: SecretsRequest): Promise<Result<SecretsOutcome, SecretsFailure>> =>
      inTurn(request.path, () => writeNow(request)),
  }

  /** A second call for the same version leaves no digest. */
  function remember({ path, values }: SecretsRequest, expectedVersion: number) {
    const sealed = keyring.seal(contextOf(path), digestOf(values))
    return writes.remember({ path, expectedVersion, at: clock.now(), ...sealed })
  }

  async function writeNow(
    request: SecretsRequest,
  ): Promise<Result<SecretsOutcome, SecretsFailure>> {
    const { path, values, overwrite } = request
    for (let attempt = 1; ; attempt++) {
      const looked = await look(request)
      if (!looked.ok) return looked
      const { entry, clashes, isWritten } = looked.value
      if (isWritten && !overwrite) return ok({ version: entry.version, isNew: false })
      if (clashes.length > 0 && !overwrite) {
        return err({ kind: 'secret_exists', keys: clashes })
      }
      const known = await isRemembered(request, entry.version)
      const remembered = known.ok && !known.value ? await remember(request, entry.version) : known
      if (!remembered.ok) return remembered
      const merged = await secretStore.merge(path, entry.version, values, actor)
      if (merged.ok) return ok({ version: entry.version + 1, isNew: true })
      if (merged.error.kind !== 'secret_conflict') return merged
      // Nothing was written: the entry of another writer must not be taken for ours.
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
