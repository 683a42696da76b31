import { createHash } from 'node:crypto'
import { lazily } from '../../concurrency/lazily.ts'
import type { Keyring } from '../../crypto/keyring.ts'
import type { SecretPath } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { SecretWriteRow, SecretWriteStore } from '../../ports/database/secret-writes.ts'
import type {
  SecretActor,
  SecretEntry,
  SecretStore,
  SecretStoreFailure,
  SecretVersion,
} from '../../ports/secret-store.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SecretActorFailure } from '../access/secret-actor.ts'

export type SecretsFailure =
  | { readonly kind: 'secret_exists'; readonly keys: readonly string[] }
  | SecretStoreFailure
  | SecretActorFailure
  | DatabaseFailure

/** In whose name the store is called. Asked for with the first call: it may need the identity provider, or be refused. */
export type ActorOf = () => Promise<Result<{ readonly actor: SecretActor }, SecretActorFailure>>

export interface SecretsRequest {
  readonly path: SecretPath
  readonly values: Readonly<Record<string, string>>
  /** Whether existing keys may be overwritten. */
  readonly overwrite: boolean
}

/** A request that may be written, with its entry as it was when it was checked. */
export interface CheckedSecrets extends SecretsRequest {
  readonly entry: SecretEntry
  /** Requested keys that the entry has. */
  readonly existing: readonly string[]
  /** Whether an earlier call with the same values wrote this version of the entry. */
  readonly isWritten: boolean
  /** The last write to the path that Portico knows of. */
  readonly last: SecretWriteRow | null
}

export interface SecretsOutcome {
  /** The entry's version with the values in it. */
  readonly version: SecretVersion
  /** Whether this request wrote the entry, not an earlier one with the same values. */
  readonly isNew: boolean
  /** Whether the request created the entry, and nobody has noted its origin. */
  readonly isUnlabelled: boolean
}

export interface SecretsOptions {
  readonly secretStore: SecretStore
  readonly secretWrites: SecretWriteStore
  /** Seals the digests of written values. */
  readonly digestKeyring: Keyring
  readonly clock: Clock
}

export type Secrets = ReturnType<ReturnType<typeof createSecrets>>

/**
 * Merges secrets into an entry without losing keys or overwriting them without permission, in the name of an actor and under the lock of
 * the application and environment. The store shows no values: a sealed digest in the database tells which version has those of a
 * request, so that a repeated one finds what it wrote. It comes before the write, since the process may die right after it, and is
 * taken back when the store refuses; where keys are overwritten, whose presence tells nothing, it comes after the write.
 */
export function createSecrets(options: SecretsOptions) {
  const { secretStore, secretWrites: writes, digestKeyring: keyring, clock } = options
  /** Notes that these values make the next version; without values that nobody knows what made it. `last` is replaced. */
  async function note(
    { path, entry: { version } }: CheckedSecrets,
    last: SecretWriteRow | null,
    values: SecretsRequest['values'] | null,
  ): Promise<Result<SecretWriteRow, SecretStoreFailure | DatabaseFailure>> {
    const sealed =
      values === null
        ? { keyId: '', sealed: new Uint8Array() }
        : keyring.seal(contextOf(path), digestOf(values))
    const row = { path, expectedVersion: version, ...sealed, at: clock.now() }
    const replaced = await writes.replace(last, row)
    if (!replaced.ok) return replaced
    // A holder of the lock that had lost it.
    return replaced.value ? ok(row) : err({ kind: 'secret_conflict' })
  }

  function isDigestOf({ path, values }: SecretsRequest, row: SecretWriteRow): boolean {
    const digest = keyring.open(contextOf(path), row)
    return digest !== undefined && Buffer.from(digest).equals(digestOf(values))
  }

  return (asked: ActorOf) => {
    const actorOf = lazily(asked)
    /** The version that this request wrote before a lost race elsewhere made it start anew. */
    let made: SecretVersion | null = null
    return {
      /** Refuses existing keys that may not be overwritten. */
      async check(request: SecretsRequest): Promise<Result<CheckedSecrets, SecretsFailure>> {
        const acting = await actorOf()
        if (!acting.ok) return acting
        const { path, values, overwrite } = request
        const described = await secretStore.describe(path, acting.value.actor)
        if (!described.ok) return described
        const entry = described.value
        const keys = Object.keys(values)
        const existing =
          entry.kind === 'absent' ? [] : keys.filter((key) => entry.keys.includes(key)).toSorted()
        const found = await writes.find(path)
        if (!found.ok) return found
        const last = found.value
        const isWritten =
          // A later version is somebody else's, whatever it holds.
          last?.expectedVersion === entry.version - 1 &&
          entry.kind === 'present' &&
          existing.length === keys.length &&
          isDigestOf(request, last)
        return existing.length > 0 && !isWritten && !overwrite
          ? err({ kind: 'secret_exists', keys: existing })
          : ok({ ...request, entry, existing, isWritten, last })
      },

      /** Writes over the entry as it was checked. A write of somebody else meanwhile is a `secret_conflict`. */
      async write(checked: CheckedSecrets): Promise<Result<SecretsOutcome, SecretsFailure>> {
        const { path, values, overwrite, entry, existing, isWritten, last } = checked
        const { version } = entry
        const isNew = version === made
        if (isWritten && (isNew || !overwrite)) {
          return ok({ version, isNew, isUnlabelled: isUnlabelled(checked) })
        }
        const acting = await actorOf()
        if (!acting.ok) return acting
        const isEarly = existing.length === 0
        const before = await note(checked, last, isEarly ? values : null)
        if (!before.ok) return before
        const merged = await secretStore.merge(path, version, values, acting.value.actor)
        if (!merged.ok) {
          if (!mayHaveWritten(merged.error)) {
            // The version will be somebody else's.
            const undone = await note(checked, before.value, null)
            if (!undone.ok) return undone
          }
          return merged
        }
        const noted = isEarly ? before : await note(checked, before.value, values)
        if (!noted.ok) return noted
        made = version + 1
        const isCreated = entry.kind === 'absent' || isUnlabelled(checked)
        return ok({ version: version + 1, isNew: true, isUnlabelled: isCreated })
      },

      /** Notes beside the entry that a promotion created it. */
      async label({ path }: SecretsRequest): Promise<Result<void, SecretsFailure>> {
        const acting = await actorOf()
        return acting.ok ? secretStore.label(path, { run: null }, acting.value.actor) : acting
      },
    }
  }
}

/** The secrets of a move that goes on after they were written; their values are gone. */
export const writtenSecrets = (version: SecretVersion | null): Secrets => ({
  check: async (request) => {
    const keys = Object.keys(request.values)
    const entry = { kind: 'present', version: version ?? 0, keys, origin: null } as const
    return ok({ ...request, entry, existing: [], isWritten: true, last: null })
  },
  write: async ({ entry }) => ok({ version: entry.version, isNew: false, isUnlabelled: false }),
  label: async () => ok(undefined),
})

/** An entry that has the keys of its last writer alone was created by it. */
const isUnlabelled = ({ values, entry, isWritten }: CheckedSecrets): boolean =>
  isWritten &&
  entry.kind === 'present' &&
  entry.origin === null &&
  entry.keys.length === Object.keys(values).length

const mayHaveWritten = ({ kind }: SecretStoreFailure): boolean =>
  kind === 'secret_store_timeout' || kind === 'secret_store_unreachable'

const contextOf = (path: SecretPath): string => `secret-write/${path}`

const digestOf = (values: Readonly<Record<string, string>>): Uint8Array => {
  const entries = Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(entries)).digest()
}
