import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { lazily } from '../../../concurrency/lazily.ts'
import { RunId, type SecretPath } from '../../../names.ts'
import type {
  SecretActor,
  SecretEntry,
  SecretOrigin,
  SecretStore,
  SecretStoreFailure,
  SecretVersion,
} from '../../../ports/secret-store.ts'
import { err, ok, type Result } from '../../../result.ts'
import { Nullable } from '../../../schema/nullable.ts'
import { isObject } from '../../../text/json.ts'
import { reasonOf, undocumented } from './answer.ts'
import type { VaultCalls } from './calls.ts'
import type { VaultAnswer } from './answer.ts'
import { type VaultRequest, vaultPath } from './client.ts'

type Calls = Pick<VaultCalls, 'call' | 'refusedAs'>
type Outcome<Value = void> = Promise<Result<Value, SecretStoreFailure>>

export interface EntriesPlace {
  readonly mount: string
  /** Empty, or with a slash at its end. */
  readonly prefix: string
}

/** Capabilities of a policy. A write to an entry that has metadata, deleted ones included, is an `update` for the store. */
type Right = 'read' | 'create' | 'update' | 'patch'
/** The parts of an entry, as KV version 2 spreads them below its mount. */
type Part = 'data' | 'subkeys' | 'metadata'

const METHODS = { read: 'GET', create: 'POST', update: 'POST', patch: 'PATCH' } as const

/** The rights to describe, create and label an entry that was never written. */
const RIGHTS_TO_CREATE = [
  ['read', 'subkeys'],
  ['create', 'data'],
  ['patch', 'metadata'],
] as const satisfies readonly (readonly [Right, Part])[]

interface Change {
  readonly expected: SecretVersion
  readonly values: Readonly<Record<string, string>>
}

/**
 * Entries in KV version 2, without a right to read values: `subkeys` tells the names of keys, and the store merges values itself.
 * Every write compares the version. Deleting or undeleting a version does not change its number, so `merge` patches first, which
 * keeps keys that an operator has just undeleted, and replaces only what the store has just called deleted.
 */
export function createEntries(
  calls: Calls,
  { mount, prefix }: EntriesPlace,
  proveMount: MountProof,
): Pick<SecretStore, 'describe' | 'merge' | 'label' | 'mayCreate'> {
  const pathOf = (part: Part, path: SecretPath) => `${mount}/${part}/${prefix}${path}`

  /** Uses a right on a part of an entry. */
  function use(
    right: Right,
    part: Part,
    path: SecretPath,
    actor: SecretActor,
    body?: VaultRequest['body'],
  ): Outcome<VaultAnswer> {
    const location = pathOf(part, path)
    // The subkeys of nested maps, which others may have written, are no keys of the entry.
    const query = part === 'subkeys' ? '?depth=1' : ''
    const request = {
      method: METHODS[right],
      path: `${vaultPath`${location}`}${query}`,
      ...(body !== undefined && { body }),
      // Labels are the same after a second execution; a version is added once.
      repeatable: part !== 'data',
    }
    // Metadata that an operator made before the first version make the first write an update.
    const or = right === 'create' ? ' (update, if it has metadata already)' : ''
    return calls.call(actor, request, `${right} on ${location}${or}`)
  }

  const write = (
    right: 'create' | 'update' | 'patch',
    path: SecretPath,
    { expected, values }: Change,
    actor: SecretActor,
  ) => use(right, 'data', path, actor, { options: { cas: expected }, data: values })

  async function describe(path: SecretPath, actor: SecretActor): Outcome<SecretEntry> {
    const answered = await use('read', 'subkeys', path, actor)
    if (!answered.ok) return answered
    if (!isNeverWritten(answered.value)) return entryOf(answered.value)
    const proven = await proveMount(calls, actor)
    return proven.ok ? ok({ kind: 'absent', version: 0 }) : proven
  }

  async function create(path: SecretPath, change: Change, actor: SecretActor): Outcome {
    const proven = await proveMount(calls, actor)
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
      // The store replaces lone surrogates without a word.
      if (
        !Object.entries(values)
          .flat()
          .every((text) => text.isWellFormed())
      ) {
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
      const answered = await use('patch', 'metadata', path, actor, labels)
      if (!answered.ok) return answered
      if (isNeverWritten(answered.value)) return err({ kind: 'secret_conflict' })
      return answered.value.status < 300 ? ok(undefined) : refusal(answered.value)
    },

    async mayCreate(path, actor) {
      const needed = RIGHTS_TO_CREATE.map(([right, part]) => ({ right, at: pathOf(part, path) }))
      const paths = needed.map(({ at }) => at)
      const asked = await askCapabilities(calls, actor, paths)
      if (!asked.ok) return asked
      const missing = needed.filter(({ right, at }) => {
        const granted = asked.value.get(at) ?? []
        return !granted.includes(right) && !granted.includes('root')
      })
      if (missing.length === 0) return ok(undefined)
      const what = missing.map(({ right, at }) => `${right} on ${at}`).join(', ')
      return err({ kind: calls.refusedAs(actor), what })
    },
  }
}

/** Custom metadata of an entry, as a merge patch: labels of other people stay, and `null` removes a former one of ours. */
function labelsOf(path: SecretPath, { run }: SecretOrigin) {
  const [team = '', app = '', environment = ''] = path.split('/')
  return { 'managed-by': 'portico', team, app, environment, run }
}

/** `null`: nobody has noted an origin, or not Portico. */
function originOf(labels: Readonly<Record<string, string>> | null | undefined) {
  if (labels?.['managed-by'] !== 'portico') return null
  return { run: RunId.parse(labels['run']) ?? null }
}

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

/** Asks the store what the actor may do at each of the paths, which tries nothing. Capabilities by path. */
export async function askCapabilities(
  calls: Pick<VaultCalls, 'call'>,
  actor: SecretActor,
  paths: readonly string[],
): Outcome<ReadonlyMap<string, readonly string[]>> {
  const path = 'sys/capabilities-self'
  const request = { method: 'POST', path, body: { paths }, repeatable: true } as const
  const answered = await calls.call(actor, request, `update on ${path}`)
  if (!answered.ok) return answered
  const capabilities = new Map(Object.entries(readCapabilities(answered.value) ?? {}))
  return paths.every((each) => capabilities.has(each)) ? ok(capabilities) : refusal(answered.value)
}

/** Fails unless the mount is KV version 2. */
export type MountProof = (calls: Pick<VaultCalls, 'call'>, actor: SecretActor) => Outcome

/**
 * Asks, until the answer was yes once, as the store's own command line does before `kv` commands: any right below the mount allows it.
 * KV version 1 tells of no entry what version 2 tells of an absent one, and a write would succeed, as an entry of another path.
 */
export function createMountProof(mount: string): MountProof {
  let isProven = false
  return async (calls, actor) => {
    if (isProven) return ok(undefined)
    const path = vaultPath`sys/internal/ui/mounts/${mount}`
    const right = `any right below ${mount}/, which must exist`
    const answered = await calls.call(actor, { method: 'GET', path, repeatable: true }, right)
    if (!answered.ok) return answered
    const found = readMount(answered.value)
    if (found === undefined) return refusal(answered.value)
    // The answer is about the mount that the path lies in.
    if (found.path !== `${mount}/`) return storeError(NO_ENGINE)
    isProven = found.type === 'kv' && found.options?.['version'] === '2'
    return isProven ? ok(undefined) : storeError(NOT_VERSION_2)
  }
}

const NO_ENGINE = 'there is no secrets engine at VAULT_MOUNT'
const NOT_VERSION_2 = 'VAULT_MOUNT is not a KV secrets engine of version 2'

const storeError = (reason: string) => err({ kind: 'secret_store_error', reason } as const)

/** The failure for an answer that is none of those that a call expects. */
function refusal(answer: VaultAnswer): Result<never, SecretStoreFailure> {
  const reason = reasonOf(answer)
  if (reason === 'check_and_set_mismatch') return err({ kind: 'secret_conflict' })
  if (reason === 'no_such_mount') return storeError(NO_ENGINE)
  if (reason === 'no_such_namespace') return storeError('there is no namespace VAULT_NAMESPACE')
  return reason === 'check_and_set_required' || answer.status === 405
    ? storeError(NOT_VERSION_2)
    : err(undocumented(answer.status))
}

/** The next version must be exact as a number too. */
const Version = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER - 1 })

/** The keys of an entry: with 200 it is present, with 404 its version is deleted or destroyed. */
const readSubkeys = dataReader(
  Type.Object({
    metadata: Type.Object({
      version: Version,
      custom_metadata: Type.Optional(Nullable(Type.Record(Type.String(), Type.String()))),
    }),
    /** `null`: a deleted version, or one that was written as `null`. */
    subkeys: Nullable(Type.Record(Type.String(), Type.Unknown())),
  }),
)

/** The version of an entry: the new one after a write, with 404 the deleted or destroyed one that a patch has met. */
const readVersion = dataReader(Type.Object({ version: Version }))

const readCapabilities = dataReader(Type.Record(Type.String(), Type.Array(Type.String())))

const readMount = dataReader(
  Type.Object({
    path: Type.String(),
    type: Type.String(),
    options: Nullable(Type.Record(Type.String(), Type.String())),
  }),
)

/** A 404 for a path without any version. Every other 404 has a text or data. */
const isNeverWritten = ({ status, json }: VaultAnswer): boolean =>
  status === 404 &&
  (json === undefined ||
    (isObject(json) && Array.isArray(json['errors']) && json['errors'].length === 0))

/** Reads the member `data` of an answer; `undefined` when it is not as documented. */
function dataReader<Schema extends TSchema>(schema: Schema) {
  const check = lazily(() => Compile(schema))
  return ({ json }: Pick<VaultAnswer, 'json'>): Static<Schema> | undefined => {
    const data = isObject(json) ? json['data'] : undefined
    return check().Check(data) ? data : undefined
  }
}
