import { lazily } from '../../concurrency/lazily.ts'
import { createQueue, type InTurn } from '../../concurrency/queue.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type {
  SecretActor,
  SecretEntry,
  SecretStore,
  SecretStoreFailure,
  SecretVersion,
} from '../../ports/secret-store.ts'
import { err, ok, type Result } from '../../result.ts'
import type { SecretActorFailure } from '../access/secret-actor.ts'
import { type ClaimsOptions, createClaims, type SecretWrite } from './secret-claims.ts'

const ATTEMPTS_MAX = 5
/**
 * Upper bound of the random pause after the second lost race in a row; it doubles with each further one. At least half of it is
 * waited: a replica of the store may show the winner's version a moment later.
 */
const PAUSE_MS = 100
/** How long a repetition waits for the process that is about to confirm the same write. */
const CONFIRMATION_PAUSES_MS = [25, 50, 100, 200]

export type SecretsFailure =
  | { readonly kind: 'secret_exists'; readonly keys: readonly string[] }
  | SecretStoreFailure
  | SecretActorFailure
  | DatabaseFailure

/** In whose name the store is called. Asked for with the first call: it may need the identity provider, or be refused. */
export type ActorOf = () => Promise<Result<{ readonly actor: SecretActor }, SecretActorFailure>>

export interface SecretsRequest extends SecretWrite {
  /** Whether existing keys may be overwritten. */
  readonly overwrite: boolean
}

/** A request that may be written, as its entry was when it was checked. */
export interface CheckedSecrets extends SecretsRequest {
  readonly look: SecretsLook
}

interface SecretsLook {
  readonly entry: SecretEntry
  /** Whether an earlier call with the same values wrote this version of the entry. */
  readonly isWritten: boolean
  /** Requested keys that the entry has. */
  readonly existing: readonly string[]
}

export interface SecretsOutcome {
  /** The entry's version with the values in it. */
  readonly version: SecretVersion
  /** Whether this call wrote the entry, not an earlier call of the same request. */
  readonly isNew: boolean
  /** Whether the request created the entry, and nobody has noted its origin. */
  readonly isUnlabelled: boolean
}

export interface SecretsOptions extends ClaimsOptions {
  readonly secretStore: SecretStore
  readonly pause: (milliseconds: number) => Promise<unknown>
}

/**
 * Merges secrets into an entry without losing keys or overwriting them without permission, in the name of an actor. A repeated
 * request finds what it wrote before, whichever process takes it, and no request takes the write of another for its own, with one
 * exception that no store could tell: a process dies between claim and merge, and somebody outside of Portico then sets all of its
 * keys at that very version.
 */
export function createSecrets(options: SecretsOptions) {
  const inTurn = createQueue()
  return (actorOf: ActorOf) => secretsAs(options, inTurn, lazily(actorOf))
}

export type Secrets = ReturnType<typeof secretsAs>

function secretsAs(
  { secretStore, pause, ...options }: SecretsOptions,
  inTurn: InTurn,
  actorOf: ActorOf,
) {
  const claims = createClaims(options)

  async function look(request: SecretsRequest): Promise<Result<SecretsLook, SecretsFailure>> {
    const acting = await actorOf()
    if (!acting.ok) return acting
    const described = await secretStore.describe(request.path, acting.value.actor)
    if (!described.ok) return described
    const entry = described.value
    const requested = Object.keys(request.values)
    const existing =
      entry.kind === 'absent' ? [] : requested.filter((key) => entry.keys.includes(key)).toSorted()
    // A later version is somebody else's, whatever it holds.
    const hasAll = entry.kind === 'present' && existing.length === requested.length
    const written = hasAll ? await isWritten(request, entry.version - 1) : ok(false)
    return written.ok ? ok({ entry, existing, isWritten: written.value }) : written
  }

  /** Whether a call with the same values replaced the version. A claim that stays unconfirmed is that of a process that died. */
  async function isWritten(
    request: SecretsRequest,
    version: SecretVersion,
  ): Promise<Result<boolean, DatabaseFailure>> {
    for (let waited = 0; ; waited++) {
      const authorship = await claims.authorship(request, version)
      if (!authorship.ok) return authorship
      if (authorship.value === 'ours') return ok(true)
      if (authorship.value === 'unknown') return ok(false)
      const pauseMs = request.overwrite ? undefined : CONFIRMATION_PAUSES_MS[waited]
      if (pauseMs === undefined) return ok(authorship.value === 'claimed')
      await pause(pauseMs)
    }
  }

  async function writeNow({
    look: checked,
    ...request
  }: CheckedSecrets): Promise<Result<SecretsOutcome, SecretsFailure>> {
    let current = checked
    for (let attempt = 1; ; attempt++) {
      const refused = refusalOf(request, current)
      if (!refused.ok) return refused
      if (current.isWritten && !request.overwrite) {
        const { version } = current.entry
        return ok({ version, isNew: false, isUnlabelled: isUnlabelled(request, current) })
      }
      const merged = await merge(request, current)
      if (merged.ok || merged.error.kind !== 'secret_conflict' || attempt >= ATTEMPTS_MAX) {
        return merged
      }
      if (attempt > 1) await pause(((1 + Math.random()) / 2) * PAUSE_MS * 2 ** (attempt - 2))
      const looked = await look(request)
      if (!looked.ok) return looked
      current = looked.value
    }
  }

  async function merge(
    request: SecretsRequest,
    looked: SecretsLook,
  ): Promise<Result<SecretsOutcome, SecretsFailure>> {
    const acting = await actorOf()
    if (!acting.ok) return acting
    const { actor } = acting.value
    const { version } = looked.entry
    const before = await claims.claim(request, version, looked.existing.length > 0)
    if (!before.ok) return before
    const merged = await secretStore.merge(request.path, version, request.values, actor)
    if (!merged.ok && merged.error.kind !== 'secret_conflict') return merged
    const settled = merged.ok
      ? await claims.confirm(request, version, before.value)
      : await claims.contest(request, version)
    if (!settled.ok) return settled
    if (!merged.ok) return merged
    return ok({
      version: version + 1,
      isNew: true,
      isUnlabelled: looked.entry.kind === 'absent' || isUnlabelled(request, looked),
    })
  }

  return {
    /** Refuses existing keys that may not be overwritten. */
    async check(request: SecretsRequest): Promise<Result<CheckedSecrets, SecretsFailure>> {
      const looked = await look(request)
      if (!looked.ok) return looked
      const refused = refusalOf(request, looked.value)
      return refused.ok ? ok({ ...request, look: looked.value }) : refused
    },

    /** Writes over the entry as it was checked, or looks again when it has changed since. */
    write: (checked: CheckedSecrets): Promise<Result<SecretsOutcome, SecretsFailure>> =>
      inTurn(checked.path, () => writeNow(checked)),

    /** Notes beside the entry that a promotion created it. */
    async label({ path }: SecretsRequest): Promise<Result<void, SecretsFailure>> {
      const acting = await actorOf()
      return acting.ok ? secretStore.label(path, { run: null }, acting.value.actor) : acting
    },
  }
}

const refusalOf = ({ overwrite }: SecretsRequest, { existing, isWritten }: SecretsLook) =>
  existing.length > 0 && !isWritten && !overwrite
    ? err({ kind: 'secret_exists' as const, keys: existing })
    : ok(undefined)

/** An entry that has the keys of its last writer alone was created by it. */
const isUnlabelled = ({ values }: SecretsRequest, { entry, isWritten }: SecretsLook): boolean =>
  isWritten &&
  entry.kind === 'present' &&
  entry.origin === null &&
  entry.keys.length === Object.keys(values).length
