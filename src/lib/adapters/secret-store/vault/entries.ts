import type { SecretPath } from '../../../names.ts'
import type {
  SecretActor,
  SecretEntry,
  SecretStore,
  SecretStoreFailure,
  SecretVersion,
} from '../../../ports/secret-store.ts'
import { err, ok, type Result } from '../../../result.ts'
import { isNeverWritten, readSubkeys, readVersion } from './answers.ts'
import type { VaultAnswer } from './api/client.ts'
import type { EntryRequests } from './entry-requests.ts'
import { labelsOf, originOf } from './labels.ts'
import { NOT_VERSION_2, refusal, storeError } from './refusal.ts'

export interface EntriesOptions {
  readonly requests: EntryRequests
  /** Fails unless the mount is KV version 2. */
  readonly mountProof: (actor: SecretActor) => Promise<Result<void, SecretStoreFailure>>
}

/**
 * Entries in KV version 2, without a right to read values: `subkeys` tells the names of keys, and the store merges values itself.
 * Every write compares the version. Deleting or undeleting a version does not change its number, so `merge` patches first, which
 * keeps keys that an operator has just undeleted, and replaces only what the store has just called deleted.
 */
export function createEntries({
  requests,
  mountProof,
}: EntriesOptions): Pick<SecretStore, 'describe' | 'merge' | 'label'> {
  async function write(
    right: 'create' | 'update' | 'patch',
    path: SecretPath,
    { expected, values }: Change,
    actor: SecretActor,
  ): Promise<Result<VaultAnswer, SecretStoreFailure>> {
    return requests.use(right, 'data', path, actor, { options: { cas: expected }, data: values })
  }

  async function describe(
    path: SecretPath,
    actor: SecretActor,
  ): Promise<Result<SecretEntry, SecretStoreFailure>> {
    const answered = await requests.use('read', 'subkeys', path, actor)
    if (!answered.ok) return answered
    if (!isNeverWritten(answered.value)) return entryOf(answered.value)
    const proven = await mountProof(actor)
    return proven.ok ? ok({ kind: 'absent', version: 0 }) : proven
  }

  async function create(path: SecretPath, change: Change, actor: SecretActor) {
    const proven = await mountProof(actor)
    if (!proven.ok) return proven
    const created = outcomeOf(await write('create', path, change, actor))
    if (created.ok || !isRefused(created.error)) return created
    // Another writer may have been first: without the right to update, the store refuses before it compares versions.
    const found = await describe(path, actor)
    return found.ok && found.value.version > 0 ? err({ kind: 'secret_conflict' }) : created
  }

  return {
    describe,

    async merge(path, expected, values, actor) {
      if (!Object.entries(values).flat().every(isKept)) {
        return storeError('a key or value has a lone surrogate, which the store would replace')
      }
      const change = { expected, values }
      if (expected === 0) return create(path, change, actor)
      const patched = await write('patch', path, change, actor)
      if (!patched.ok || patched.value.status !== 404) return outcomeOf(patched)
      if (isNeverWritten(patched.value)) return err({ kind: 'secret_conflict' })
      if (readVersion(patched.value) === undefined) return refusal(patched.value)
      return outcomeOf(await write('update', path, change, actor))
    },

    async label(path, origin, actor) {
      const labels = { custom_metadata: labelsOf(path, origin) }
      const answered = await requests.use('patch', 'metadata', path, actor, labels)
      if (!answered.ok) return answered
      if (isNeverWritten(answered.value)) return err({ kind: 'secret_conflict' })
      return answered.value.status < 300 ? ok(undefined) : refusal(answered.value)
    },
  }
}

interface Change {
  readonly expected: SecretVersion
  readonly values: Readonly<Record<string, string>>
}

/** The store replaces lone surrogates without a word. */
const isKept = (text: string): boolean => text.isWellFormed()

function entryOf(answer: VaultAnswer): Result<SecretEntry, SecretStoreFailure> {
  const found = readSubkeys(answer)
  if (found === undefined) return refusal(answer)
  const { metadata, subkeys } = found
  if (answer.status === 404) return ok({ kind: 'absent', version: metadata.version })
  return ok({
    kind: 'present',
    version: metadata.version,
    keys: Object.keys(subkeys ?? {}).toSorted(),
    origin: originOf(metadata.custom_metadata),
  })
}

const isRefused = ({ kind }: SecretStoreFailure): boolean =>
  kind === 'secret_store_denied' || kind === 'secret_store_forbidden'

/** A success that tells no version is one of KV version 1, or of something else. */
function outcomeOf(
  answered: Result<VaultAnswer, SecretStoreFailure>,
): Result<void, SecretStoreFailure> {
  if (!answered.ok) return answered
  if (answered.value.status >= 300) return refusal(answered.value)
  return readVersion(answered.value) === undefined ? storeError(NOT_VERSION_2) : ok(undefined)
}
